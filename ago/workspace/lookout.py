"""The lookout: which files moved since the last look, by sweeps, or by a watcher in big trees.

Invariant: the caller serialises looks; a watcher that may have missed something means a sweep.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from ago.workspace.files import FileTable, Moves
from ago.workspace.watch import Watch

WATCH_ABOVE = 2_000
"""Beyond this many files a sweep is too dear for every request."""


class Look(NamedTuple):
    """What a look found."""

    moved: set[str]
    """Paths whose bytes moved."""
    restamped: bool = False
    """Whether files have the same bytes under a new signature: readers must see the new one."""


class Lookout:
    """Looks at the files of one table."""

    def __init__(self, table: FileTable, wake: Callable[[], None]) -> None:
        """`wake` is called whenever a watcher, once there is one, hears of something."""
        self._table, self._wake = table, wake
        self._watch: Watch | None = None
        self._opening = threading.Lock()
        self.suspects: set[str] = set()
        """Files that a reader found other than the watcher had said."""

    @property
    def relies_on_watcher(self) -> bool:
        """Whether no sweep precedes an answer: readers verify what they name."""
        return self._watch is not None and self._is_big

    def watch(self) -> Watch:
        """The watcher of the table's root, started by the first who needs it."""
        with self._opening:
            if self._watch is None:
                self._watch = Watch(self._table.root, self._wake)
            return self._watch

    def look(self) -> Look:
        """Take in what moved since the last look."""
        suspects, self.suspects = self.suspects, set()
        if not self._is_big:
            return Look(set(self._table.sweep().all))
        watch = self.watch()
        dirty = watch.drain()
        if dirty is None:
            watch.swept()
            return Look(set(self._table.sweep().all))
        dirty.update(self._table.outside())
        moved = self._table.verify_folders(dirty) if dirty else Moves()
        again = self._table.verify(suspects)
        return Look({*moved.all, *again.all}, bool(suspects) and not again)

    def close(self) -> None:
        """End the watcher."""
        if self._watch:
            self._watch.close()

    @property
    def _is_big(self) -> bool:
        return len(self._table.files) > WATCH_ABOVE
