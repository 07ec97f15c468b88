"""Progress of long work, heard by every request that waits for it.

Invariant: telling never fails and never blocks the work.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)

Listener = Callable[[str, int, int], None]
"""(phase, done, total)."""


class Progress:
    """A call tells every listener."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._lock = threading.Lock()

    def __call__(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Work is at `done` of `total` in `phase`."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            try:
                listener(phase, done, total)
            except Exception:
                log.exception("a progress listener failed")

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Tell `listener` as long as the block runs."""
        with self._lock:
            self._listeners.add(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.discard(listener)
