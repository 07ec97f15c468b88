"""What is made of a whole state of the facts, once for each state."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Generic, TypeVar

from ago.facts.store import STATE, read_meta

T = TypeVar("T")

_KEPT = 2
"""States (a workspace's own, one that is read while the next is written) kept in mind."""


class PerState(Generic[T]):
    """A reading of all facts, kept for the last states that were asked about."""

    def __init__(self, read: Callable[[sqlite3.Connection], T]) -> None:
        """`read` takes tens of milliseconds or more, else it isn't worth to be kept."""
        self._read = read
        self._recent: dict[str, T] = {}

    def of(self, db: sqlite3.Connection) -> T:
        """The reading of the state that a connection sees."""
        state = read_meta(db, STATE)
        found = self._recent.get(state) if state else None
        if found is None:
            found = self._read(db)
            if state:
                self._recent[state] = found
            for old in list(self._recent)[:-_KEPT]:
                self._recent.pop(old, None)
        return found
