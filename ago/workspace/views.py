"""Views: modules below the root that the root's build does not use, each with a build of its own.

Invariant: the facts of a loaded view are those of a fresh load: what moves in its folder, or in a
folder that it takes modules from, loads it again.
Invariant: a view has rows of its own packages alone; what it takes from the workspace has those of
the root's build.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Collection

import orjson

from ago.checker.client import ResidentChecker
from ago.facts import graph, load
from ago.facts.store import FactsStore, read_meta, write_meta
from ago.protocol.errors import AgoError, Bug
from ago.workspace.missing import write_missing
from ago.workspace.packages import OK, Graph, View

log = logging.getLogger(__name__)

MOST_RUNNING = 2
"""So many views keep a process; the one that was used longest ago gives its memory back."""
MOST_FOLLOWED = 8
"""So many views are loaded because they depend on the workspace; others when they are addressed."""


class Views:
    """The views of one workspace. The caller serialises access."""

    def __init__(self, store: FactsStore, open_checker: Callable[[str], ResidentChecker]) -> None:
        """`open_checker` makes the checker of the view in a folder; nothing starts yet."""
        self._store, self._open = store, open_checker
        self._checkers: dict[str, ResidentChecker] = {}
        self._names = load.Interner()

    def follow(self, known: Graph, moved: Collection[str], *, again: bool) -> bool:
        """Bring views up to date with what moved; whether facts of one are others than before.

        `again`: the root's build was loaded anew, and the rows of all views are gone. Views that
        take modules from the workspace belong to it: they are loaded with it, the first few.
        """
        followed = [view for view in known.views if view.replaces][:MOST_FOLLOWED]
        stale = [
            view
            for view in known.views
            if (again and (view.state or view in followed)) or (view.state and view.concerns(moved))
        ]
        for view in stale:
            self.load(view)
        return bool(stale)

    def load(self, view: View) -> None:
        """Load a view afresh, its facts and all; why it can't be is kept as its state."""
        try:
            state = self._load(view)
        except (AgoError, Bug, sqlite3.Error) as error:
            log.warning("the module in %s is not loaded: %s", view.dir, error)
            self._names.forget()
            state = str(error) or type(error).__name__
            with self._store.transaction() as db:
                _drop(db, view)
                write_missing(db, [], view.dir)
        with self._store.transaction() as db:
            states = orjson.loads(read_meta(db, "view_states") or "{}")
            write_meta(db, "view_states", orjson.dumps({**states, view.dir: state}).decode())

    def checker(self, folder: str) -> ResidentChecker:
        """The checker of a view; others are ended where too many run."""
        checker = self._checkers.pop(folder, None) or self._open(folder)
        self._checkers[folder] = checker
        running = [name for name, other in self._checkers.items() if other.running]
        for name in running[:-MOST_RUNNING]:
            self._checkers[name].close()
        return checker

    def close(self) -> None:
        """End every process."""
        for checker in self._checkers.values():
            with contextlib.suppress(AgoError, Bug):
                checker.close()
        self._checkers.clear()

    def _load(self, view: View) -> str:
        checker = self.checker(view.dir)
        loaded = checker.load()
        with self._store.transaction() as db:
            _drop(db, view)
            context = int(read_meta(db, "context"))
            for module in loaded["modules"] or ():
                if module["path"] == view.module:
                    # Main is what the root's build calls so.
                    graph.put_module(db, {**module, "main": False})
            graph.put_packages(db, context, loaded["packages"] or ())
            write_missing(db, loaded.get("missing") or [], view.dir)
            writer = load.UnitWriter(db, context, self._names)
            checker.check_all(lambda event: writer.put(event["unit"]) if "unit" in event else None)
        return OK


def _drop(db: sqlite3.Connection, view: View) -> None:
    """Forget the packages and units of a view."""
    context = int(read_meta(db, "context"))
    names = load.Interner()
    writer = load.UnitWriter(db, context, names)
    below = f"{view.dir}/%"
    rows = db.execute(
        "SELECT DISTINCT pkg FROM unit WHERE context = ? AND module = ?"
        " UNION SELECT pkg FROM package WHERE context = ? AND (dir = ? OR dir LIKE ?)"
        " AND module IN (SELECT id FROM module WHERE path = ?)",
        (context, view.module, context, view.dir, below, view.module),
    ).fetchall()
    for (pkg,) in rows:
        for variant in ("", "test", "xtest"):
            writer.drop(pkg, variant)
        graph.drop_package(db, context, pkg)
