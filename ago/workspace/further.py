"""Further build contexts: their facts, brought up to date behind the answers.

Invariant: a context whose facts may be old is pending, on the disk too, before anything moves.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from ago.checker.client import FurtherChecker, ResidentChecker
from ago.checker.results import FurtherContext
from ago.facts import graph as graph_rows
from ago.facts import load, read
from ago.facts.store import FactsStore, read_meta, write_meta
from ago.protocol.errors import AgoError, Bug
from ago.workspace.contextfacts import ContextFacts
from ago.workspace.contexts import (
    COMPILED,
    Reach,
    list_outside,
    name_context,
    parse_context,
    steers_build,
)
from ago.workspace.files import Entry, find_strays
from ago.workspace.packages import Graph

log = logging.getLogger(__name__)

MOST = 8
"""So many contexts are derived at most; what they leave out is named where it matters."""
WAIT_S = 300.0

_KEY = "contexts"
_NEW = "new"
"""The state of a context whose facts have to be made from all its packages."""


@dataclass
class _Context:
    """One further context."""

    build: FurtherContext
    checker: FurtherChecker
    state: str = _NEW
    """`new`, `ok`, or why its facts could not be made."""
    paths: set[str] = field(default_factory=set)
    """Files that moved since its facts were made."""
    marked: set[str] = field(default_factory=set)
    """Files that are moving just now."""
    later: set[str] = field(default_factory=set)
    """Files that moved without a word to its facts: agocheck hears of them with the next ones."""
    busy: bool = False

    @property
    def has_work(self) -> bool:
        """Whether its facts are being made, or are about to be."""
        return self.state == _NEW or self.busy or bool(self.paths)

    @property
    def pending(self) -> bool:
        return self.has_work or bool(self.marked)

    @property
    def ready_to_run(self) -> bool:
        return self.has_work and not self.busy


class Further:
    """The further contexts of one workspace."""

    def __init__(self, store: FactsStore, resident: ResidentChecker, more: Sequence[str]) -> None:
        """`more` are contexts of the configuration; what the last session knew is read."""
        self._store, self._resident = store, resident
        self._more = [parse_context(text) for text in more]
        self._facts = ContextFacts(store)
        self._turn = threading.Condition()
        self._contexts: dict[str, _Context] = {}
        self._compiled: frozenset[str] | None = None
        self._moved: set[str] = set()
        self._files: Mapping[str, Entry] = {}
        self._outside: tuple[str, ...] = ()
        self._thread: threading.Thread | None = None
        self._closed = False
        self.version = 0
        """Moves whenever facts of a further context do."""
        with store.transaction() as db:
            stored = read_meta(db, _KEY)
        self._derived = bool(stored)
        for item in orjson.loads(stored or "[]"):
            state = item.pop("state")
            self._contexts[name_context(item)] = self._made(item, state)
        self._tell()

    def mark(
        self, graph: Graph, paths: Iterable[str], concerned: Collection[str] | None = None
    ) -> None:
        """Some files are moving: the contexts concerned are pending from now on, all that their
        packages reach when nobody knows better."""
        moving = set(paths)
        if concerned is None:
            concerned = self.reach(graph).concerned(graph, _packages(graph, moving))
        with self._turn:
            self._moved |= moving
            for name, context in self._contexts.items():
                (context.marked if name in concerned else context.later).update(moving)
            if concerned:
                self._save()

    def spare(
        self, before: Graph, now: Graph, paths: Iterable[str], moved: Collection[str]
    ) -> None:
        """The own facts of moved files are there: leave contexts alone that have nothing of them.

        `moved` are the packages whose API did; the graphs tell which imports are new.
        """
        moving = set(paths)
        if not all(path.endswith(".go") for path in moving):
            return
        edited = _packages(before, moving) | _packages(now, moving)
        gained = {
            pkg
            for pkg, importers in now.importers.items()
            if not edited.isdisjoint(importers - before.importers.get(pkg, frozenset()))
        }
        concerned = self.reach(now).holding(now.reverse_closure(moved) | edited | gained)
        with self._turn:
            for name, context in self._contexts.items():
                if name not in concerned:
                    context.later |= context.marked
                    context.marked.clear()

    def forget(self) -> None:
        """The build itself moves: all facts have to be made again."""
        with self._turn:
            for context in self._contexts.values():
                context.state = _NEW
                context.checker.forget()
            self._derived = False
            if self._contexts:
                self._save()

    def concerned(
        self,
        graph: Graph,
        changes: Mapping[str, tuple[bytes | None, bytes | None]],
        reaches: Iterable[str] | None = None,
        elsewhere: Iterable[str] = (),
    ) -> tuple[str, ...]:
        """The contexts that an edit of some files (before, after) may mean something else in.

        `reaches` and `elsewhere` are the own build's word on it (`CheckResult`), if it has one.
        """
        if any(steers_build(path, *texts) for path, texts in changes.items()):
            return tuple(self._contexts)
        edited = _packages(graph, changes)
        if reaches is None or not all(path.endswith(".go") for path in changes):
            return self.reach(graph).concerned(graph, edited)
        return self.reach(graph).holding(edited.union(reaches, _packages(graph, elsewhere)))

    def reach(self, graph: Graph) -> Reach:
        """The contexts as a snapshot with this graph sees them."""
        with self._turn:
            known = dict(self._contexts)
        packages = {}
        for name, context in known.items():
            own = _packages(graph, context.build.get("files") or ())
            packages[name] = frozenset(own | graph.contexts.get(name, frozenset()))
        return Reach(
            tuple(known),
            frozenset(name for name, context in known.items() if context.pending),
            packages,
            {
                name: context.checker.missing or context.state
                for name, context in known.items()
                if context.checker.missing or context.state not in ("ok", _NEW)
            },
        )

    def checker(self, name: str) -> FurtherChecker:
        """The checker of one context."""
        return self._contexts[name].checker

    def answering(self, graph: Graph, question: Mapping[str, object]) -> list[FurtherChecker]:
        """The contexts that a question is to be asked in too: the one that compiles its file where
        the own build does not, and for the uses of an object all that concern its package."""
        path, pkg = question.get("file"), question.get("pkg")
        if path:
            homes = (c for c in self._contexts.values() if path in (c.build.get("files") or ()))
            return [context.checker for context in homes][:1]
        if question["kind"] != "uses_of" or not isinstance(pkg, str):
            return []
        return [self.checker(name) for name in self.reach(graph).concerned(graph, [pkg])]

    def look(self, graph: Graph, files: Mapping[str, Entry]) -> None:
        """Files and own facts agree again: see to the facts of the further contexts."""
        moved, self._moved = self._moved, set()
        self._files = files
        if not self._derived or (moved and self._reshaped(moved)):
            self._derive(graph, files)
        with self._turn:
            for context in self._contexts.values():
                if context.marked:
                    context.paths |= context.marked | context.later
                    context.marked.clear()
                    context.later.clear()
            self._start()

    def wait(self, names: Iterable[str]) -> None:
        """Wait until nothing is being done for the facts of some contexts: they are there, known
        not to come, or due for another `look`."""
        wanted = set(names)
        with self._turn:
            self._turn.wait_for(
                lambda: (
                    self._closed
                    or not any(c.has_work for n, c in self._contexts.items() if n in wanted)
                ),
                WAIT_S,
            )

    def close(self) -> None:
        """Take nothing up any more; what is pending stays so for the next session."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()

    def join(self) -> None:
        """Wait for the end of what runs, after `close`."""
        thread = self._thread
        if thread is not None:
            thread.join()

    # -- which contexts ---------------------------------------------------------------------------

    def _reshaped(self, moved: Iterable[str]) -> bool:
        """Whether a moved file came, went, or changed the builds that it is in."""
        go_files = [path for path in moved if path.endswith(".go")]
        before = self._compiled
        if before is None or any(path in self._outside for path in go_files):
            return bool(go_files)
        now = self._read_compiled(go_files)
        return any((path in now) != (path in before) for path in go_files)

    def _read_compiled(self, paths: Sequence[str] | None = None) -> frozenset[str]:
        """The files that the own build compiles, of those asked for."""
        roles = ", ".join(f"'{role}'" for role in sorted(COMPILED))
        query = (
            "SELECT f.path FROM package_file f JOIN package k ON k.id = f.package"
            f" WHERE k.context = {read.OWN_CONTEXT} AND f.role IN ({roles})"
        )
        reader = self._store.borrow()
        try:
            if paths is None:
                return frozenset(path for (path,) in reader.execute(query))
            one = f"{query} AND f.path = ?"
            return frozenset(p for path in paths for (p,) in reader.execute(one, (path,)))
        finally:
            self._store.give_back(reader)

    def _derive(self, graph: Graph, files: Mapping[str, Entry]) -> None:
        """Find the contexts that compile what the own build leaves out."""
        self._compiled = self._read_compiled()
        inside = tuple(f"{view.dir}/" for view in graph.views)
        outside = list_outside(graph, files, self._compiled)
        self._outside = tuple(path for path in outside if not path.startswith(inside))
        found: list[FurtherContext] = []
        if self._outside or self._more:
            found = self._resident.contexts(self._outside, self._more, MOST)
        self._derived = True
        with self._turn:
            before, self._contexts = self._contexts, {}
            for build in found:
                name = name_context(build)
                known = before.get(name)
                if known is None:
                    self._contexts[name] = self._made(build)
                    continue
                if known.build.get("files") != build.get("files"):
                    # What it compiles moved: its graph is made again, over the files of now.
                    known.state = _NEW
                    known.checker.build = build
                    known.checker.forget()
                known.build = build
                self._contexts[name] = known
            self._tell()
            self._save(gone=before.keys() - self._contexts.keys())

    def _tell(self) -> None:
        """Have the own build watch the files that only further contexts compile."""
        builds = [context.build for context in self._contexts.values()]
        self._resident.elsewhere = sorted({f for build in builds for f in build.get("files") or ()})

    def _made(self, build: FurtherContext, state: str = _NEW) -> _Context:
        checker = self._resident.further(name_context(build), build)
        checker.own_api = self._own_api
        return _Context(build, checker, state)

    def _own_api(self) -> dict[str, str]:
        reader = self._store.borrow()
        try:
            return read.own_api_hashes(reader)
        finally:
            self._store.give_back(reader)

    def _save(self, gone: Iterable[str] = ()) -> None:
        """Write down which contexts there are; pending ones have to start over if we end now."""
        items = [
            {**context.build, "state": _NEW if context.pending else context.state}
            for context in self._contexts.values()
        ]
        with self._store.transaction() as db:
            write_meta(db, _KEY, orjson.dumps(items).decode())
            if gone or not items:
                self._drop_others(db)
        self.version += 1

    def _drop_others(self, db: sqlite3.Connection) -> None:
        """Forget the facts of contexts that there are no more."""
        kept = {graph_rows.put_context(db, context.build) for context in self._contexts.values()}
        kept.add(int(read_meta(db, "context") or 0))
        for (number,) in db.execute("SELECT id FROM context").fetchall():
            if number not in kept:
                load.UnitWriter(db, number, self._facts.names).drop_all()
                graph_rows.drop_packages(db, number)

    # -- their facts ------------------------------------------------------------------------------

    def _start(self) -> None:
        waiting = any(context.ready_to_run for context in self._contexts.values())
        if self._thread is None and waiting and not self._closed:
            self._thread = threading.Thread(target=self._work, name="contexts", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while (context := self._next()) is not None:
            paths, context.paths = context.paths, set()
            whole = context.state == _NEW or not context.checker.loaded
            state = self._bring_up(context, sorted(paths), whole)
            with self._turn:
                context.busy = False
                if not self._closed and self._contexts.get(context.checker.context) is context:
                    context.state = state
                    self._save()
                self._turn.notify_all()

    def _next(self) -> _Context | None:
        """A context with something to do, None (and the end of the thread) when none has."""
        with self._turn:
            todo = (c for c in self._contexts.values() if c.ready_to_run)
            context = None if self._closed else next(todo, None)
            if context is None:
                self._thread = None
            else:
                context.busy = True
            return context

    def _bring_up(self, context: _Context, paths: Sequence[str], whole: bool) -> str:
        """Make the facts of one context; its new state."""
        try:
            read = None
            if not whole and (read := self._facts.refresh(context.checker, paths)) is None:
                context.checker.forget()
            if read is None:
                read = self._facts.make(context.checker)
            with self._turn:
                context.marked |= find_strays(read, self._files)
        except (AgoError, Bug, sqlite3.Error, OSError) as error:
            # A load that the end of the session cut short is none that failed.
            if not self._closed:
                log.warning("no facts of %s: %s", context.checker.context, error)
            return str(error) or "failed"
        return "ok"


def _packages(graph: Graph, paths: Iterable[str]) -> set[str]:
    """The packages in whose folders some files are."""
    folders = {path.rpartition("/")[0] or "." for path in paths}
    return {graph.by_dir[folder] for folder in folders if folder in graph.by_dir}
