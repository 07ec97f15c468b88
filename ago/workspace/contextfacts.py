"""Facts of one further build context: made whole, or brought up to date with moved files.

Invariant: agocheck is asked outside of transactions, so that no edit waits for another context.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from ago.checker.client import FurtherChecker
from ago.checker.process import WireError
from ago.checker.results import Event, FurtherContext, MovedResult, Package
from ago.facts import graph as graph_rows
from ago.facts import load
from ago.facts.store import FactsStore


class ContextFacts:
    """Writes the facts of further contexts."""

    def __init__(self, store: FactsStore) -> None:
        """Nothing is written yet."""
        self._store = store
        self.names = load.Interner()

    def make(self, checker: FurtherChecker) -> dict[str, str]:
        """Make all facts of a context anew; what the checker needed for it is given back. Content
        hashes of the files that it read."""
        events: list[Event] = []
        result = checker.check_all(events.append)
        with self._store.transaction() as db:
            number = graph_rows.put_context(db, checker.build)
            writer = load.UnitWriter(db, number, self.names)
            writer.drop_all()
            graph_rows.drop_packages(db, number)
            self._put(db, number, writer, events, result.get("packages") or (), ())
        checker.rest()
        return hashes_in(events)

    def refresh(self, checker: FurtherChecker, paths: Sequence[str]) -> dict[str, str] | None:
        """Bring facts up to date with some moved files: content hashes of all files that it read
        for that, "" for one that was not there; None when the build itself moved, which has to be
        loaded again then."""
        events: list[Event] = []
        hashes = self._hashes(checker.build)
        try:
            moved: MovedResult = checker.refresh(paths, hashes, events.append)
        except WireError as error:
            if error.code == "not_loaded":
                return None
            raise
        if moved.get("reload"):
            return None
        with self._store.transaction() as db:
            number = graph_rows.put_context(db, checker.build)
            writer = load.UnitWriter(db, number, self.names)
            self._put(db, number, writer, events, moved["packages"] or (), moved["gone"] or ())
            if writer.torn:
                more: list[Event] = []
                checker.facts(sorted(writer.torn), more.append)
                self._put(db, number, writer, more, (), ())
        # What it looked at beside them was read at that time, too.
        return hashes_in(events) | (moved.get("read") or {})

    def _hashes(self, build: FurtherContext) -> dict[str, str]:
        reader = self._store.borrow()
        try:
            key = (build["goos"], build["goarch"], *_stored(build))
            return dict(
                reader.execute(
                    "SELECT u.pkg, u.api_hash FROM unit u JOIN context c ON c.id = u.context"
                    " WHERE u.variant = '' AND (c.goos, c.goarch, c.tags, c.cgo) = (?, ?, ?, ?)",
                    key,
                )
            )
        finally:
            self._store.give_back(reader)

    def _put(
        self, db: sqlite3.Connection, number: int, writer: load.UnitWriter,
        events: Iterable[Event], packages: Iterable[Package], gone: Iterable[str],
    ) -> None:  # fmt: skip
        for event in events:
            if unit := event.get("unit"):
                writer.put(unit)
            elif left := event.get("gone"):
                writer.drop(left["pkg"], left["variant"])
        for pkg in gone:
            graph_rows.drop_package(db, number, pkg)
        graph_rows.put_packages(db, number, packages)


def hashes_in(events: Iterable[Event]) -> dict[str, str]:
    """Content hashes of the files of checked units, as they were read."""
    units = (event["unit"] for event in events if "unit" in event)
    return {file["path"]: file["hash"] for unit in units for file in unit["files"] or ()}


def _stored(build: FurtherContext) -> tuple[str, bool]:
    return ",".join(build["tags"] or ()), build["cgo"]
