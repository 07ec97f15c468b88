"""Attention: the disk is looked at as soon as it moves, for followers who do not ask.

Invariant: what was taken in so was taken in as by any request; without a watcher it comes later.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable

from ago.protocol.errors import AgoError, Bug
from ago.workspace.watch import Watch

log = logging.getLogger(__name__)

SETTLE_S = 0.05
"""How long the disk is left to itself after a move: a checkout writes many files."""
UNWATCHED_S = 2.0
"""How often the disk is looked at where no watcher can be had."""


class Attention:
    """Looks while it is started."""

    def __init__(self, open_watch: Callable[[], Watch], look: Callable[[], None]) -> None:
        """`look` takes in what moved; it may raise what requests fail with."""
        self._open_watch, self._look = open_watch, look
        self._woken, self._ended = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Something moved."""
        self._woken.set()

    def start(self) -> None:
        """Look from now on."""
        if self._thread is None:
            self._ended.clear()
            self._thread = threading.Thread(target=self._run, name="attention")
            self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        if self._thread is not None:
            self._ended.set()
            self._woken.set()
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        watch = self._open_watch()
        while not self._ended.is_set():
            self._woken.wait(None if watch.alive else UNWATCHED_S)
            if self._ended.wait(SETTLE_S):
                return
            self._woken.clear()
            try:
                self._look()
            except (AgoError, Bug, sqlite3.Error) as error:
                log.info("an outside edit comes with the next request: %s", error)
