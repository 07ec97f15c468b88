"""Take what agocheck answers into the facts: whole loads, refreshes, advances.

Invariant: graph, units and file table move in one transaction; a failure leaves the former state.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from ago.checker.client import ResidentChecker
from ago.checker.process import WireError
from ago.checker.results import Event, LoadResult, MovedResult
from ago.facts import disk, graph, load
from ago.facts.read import OWN_CONTEXT
from ago.facts.store import FactsStore, read_meta, write_meta
from ago.workspace.contextfacts import hashes_in
from ago.workspace.files import FileTable, find_strays
from ago.workspace.missing import write_missing
from ago.workspace.packages import read_graph

Progress = Callable[[str, int, int], None]
"""(phase, done, total) of something long."""


_OWN_UNITS = f"SELECT pkg, variant, api_hash FROM unit WHERE context = {OWN_CONTEXT}"


class Refreshed(NamedTuple):
    """What a refresh did."""

    anew: bool
    """The graph was loaded anew for it."""
    apis: frozenset[str]
    """Packages whose API moved."""
    strays: frozenset[str]
    """Files that agocheck read as the file table does not have them."""


class ReloadNeeded(Exception):
    """agocheck says that the build itself moved."""


class Intake:
    """Feeds one facts database from one resident checker."""

    def __init__(
        self, root: Path, store: FactsStore, checker: ResidentChecker, progress: Progress
    ) -> None:
        """`progress` hears how far a load is."""
        self._root = root
        self._store, self._checker, self._progress = store, checker, progress
        self._names = load.Interner()

    def load_all(self, table: FileTable) -> None:
        """Load the graph and check every unit."""
        loaded = self._checker.load()
        with self._storing(whole=True) as db:
            context = _put_graph(db, loaded)
            writer = load.UnitWriter(db, context, self._names, whole=True)
            self._checker.check_all(lambda event: self._take(event, writer, None))
            writer.finish()
            _save_table(db, table)

    def refresh(self, paths: Sequence[str], table: FileTable) -> Refreshed:
        """Re-check what some moved files affect. Raises ReloadNeeded."""
        with self._storing() as db:
            context = int(read_meta(db, "context"))
            before = set(_owners(db, paths))
            rows = db.execute(_OWN_UNITS)
            seen = _Seen({(pkg, variant): api for pkg, variant, api in rows})
            writer = load.UnitWriter(db, context, self._names)
            anew = not self._checker.running
            if anew:
                _put_graph(db, self._checker.load())
            hashes = {p: api for (p, variant), api in seen.before.items() if not variant}
            hashes = {p: hashes[p] for p in before if p in hashes}
            moved = self._checker.refresh(paths, hashes, lambda e: self._take(e, writer, seen))
            if moved.get("reload"):
                raise ReloadNeeded
            self._mend(writer)
            _put_moved(db, context, moved)
            self._catch_up(db, writer, seen, before | set(_owners(db, paths)))
            _save_table(db, table)
        strays = find_strays(seen.read | (moved.get("read") or {}), table.files)
        return Refreshed(anew, frozenset(seen.apis), frozenset(strays))

    def advance(self, token: str, table: FileTable) -> bool:
        """Make a committed candidate the base; False when agocheck can't (any more)."""
        with self._storing() as db:
            context = int(read_meta(db, "context"))
            writer = load.UnitWriter(db, context, self._names)
            try:
                moved = self._checker.advance(token, lambda e: self._take(e, writer, None))
            except WireError as error:
                if error.code in ("stale_candidate", "not_loaded"):
                    return False
                raise
            self._mend(writer)
            _put_moved(db, context, moved)
            _save_table(db, table)
        return True

    @contextlib.contextmanager
    def _storing(self, whole: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction that units are written in."""
        try:
            with self._store.big_transaction() if whole else self._store.transaction() as db:
                yield db
        except BaseException:
            self._names.forget()
            raise

    def foreign_folders(self) -> list[str]:
        """Folders of modules that the build takes from the disk outside the root, by `replace` or
        by go.work."""
        with self._store.transaction() as db:
            rows = db.execute("SELECT dir FROM module WHERE NOT workspace AND dir != ''")
            cache = read_meta(db, "gomodcache") + "/"
            return [os.path.relpath(d, self._root) for (d,) in rows if not d.startswith(cache)]

    def save_table(self, table: FileTable) -> None:
        """Store signatures that moved although the bytes did not."""
        with self._store.transaction() as db:
            _save_table(db, table)

    def _mend(self, writer: load.UnitWriter) -> None:
        """Ask for the whole of packages of which agocheck sent less than the facts lack."""
        if writer.torn:
            self._checker.facts(sorted(writer.torn), lambda e: self._take(e, writer, None))

    def _catch_up(
        self, db: sqlite3.Connection, writer: load.UnitWriter, seen: _Seen, pkgs: set[str]
    ) -> None:
        """Check packages whose files moved and that no event spoke of, then what imports them.

        That is the case when agocheck started anew on changed files, which are its base then: it
        can't tell what they changed, but the API hashes of the facts can.
        """
        now = read_graph(db, str(self._root))
        outside = set(orjson.loads(read_meta(db, "outside") or "[]"))
        known = now.packages.keys() | outside
        for pkg in sorted({p for p, _ in seen.before} - known):
            seen.apis.add(pkg)
            for variant in ("", "test", "xtest"):
                writer.drop(pkg, variant)
            pkgs |= now.importers.get(pkg, frozenset())
        todo = (pkgs & now.packages.keys()) - seen.pkgs
        while todo:
            seen.moved.clear()
            self._checker.facts(sorted(todo), lambda e: self._take(e, writer, seen))
            seen.pkgs |= todo
            # Who imports what outside the root the graph does not say.
            todo = now.reverse_closure(seen.moved) | (outside if seen.moved else set())
            todo = (todo & known) - seen.pkgs

    def _take(self, event: Event, writer: load.UnitWriter, seen: _Seen | None) -> None:
        if unit := event.get("unit"):
            writer.put(unit)
            if seen:
                seen.note(unit["pkg"], unit["variant"], unit["api_hash"])
                seen.read |= hashes_in([event])
        elif gone := event.get("gone"):
            writer.drop(gone["pkg"], gone["variant"])
        elif progress := event.get("progress"):
            self._progress(progress["phase"], progress["done"], progress["total"])


class _Seen:
    """Which packages a refresh has spoken of, and whose API moved."""

    def __init__(self, before: dict[tuple[str, str], str]) -> None:
        self.before = before
        self.pkgs: set[str] = set()
        self.apis: set[str] = set()
        self.moved: set[str] = set()
        """Of these, those of the round that runs."""
        self.read: dict[str, str] = {}
        """Content hashes of the files of their units, as they were read."""

    def note(self, pkg: str, variant: str, api_hash: str) -> None:
        self.pkgs.add(pkg)
        if self.before.get((pkg, variant)) != api_hash:
            self.moved.add(pkg)
            self.apis.add(pkg)


def _put_graph(db: sqlite3.Connection, loaded: LoadResult) -> int:
    context = graph.put_graph(db, loaded)
    write_meta(db, "context", str(context))
    write_meta(db, "loaded", "1")
    _put_outside(db, loaded.get("outside"))
    write_meta(db, "views", orjson.dumps(loaded.get("views_not_loaded") or []).decode())
    write_missing(db, loaded.get("missing") or [], first=True)
    write_meta(db, "problems", orjson.dumps(loaded.get("problems") or []).decode())
    return context


def _put_moved(db: sqlite3.Connection, context: int, moved: MovedResult) -> None:
    for pkg in moved["gone"] or ():
        graph.drop_package(db, context, pkg)
    graph.put_packages(db, context, moved["packages"] or ())
    _put_outside(db, moved.get("outside"))
    write_missing(db, moved.get("missing") or [])


def _put_outside(db: sqlite3.Connection, pkgs: Sequence[str] | None) -> None:
    """Note the packages outside the root that have units, though the graph lacks them."""
    write_meta(db, "outside", orjson.dumps(pkgs or []).decode())


def _owners(db: sqlite3.Connection, paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        yield from (
            pkg
            for (pkg,) in db.execute(
                "SELECT k.pkg FROM package_file f JOIN package k ON k.id = f.package"
                " WHERE f.path = ?",
                (path,),
            )
        )


def _save_table(db: sqlite3.Connection, table: FileTable) -> None:
    disk.write_files(db, table.unsaved, table.files)
    disk.write_folders(db, table.unsaved_folders, table.folders)
    table.unsaved.clear()
    table.unsaved_folders.clear()
