"""Watch a big tree for outside edits, so that requests need no sweep.

Invariant: `drain` answers None whenever an event may have been lost; the caller then sweeps.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ago.workspace.files import SKIPPED_FOLDERS, is_watched

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

TRUST_S = 60.0
"""A full sweep is due this long after the last one, however well the watcher seems."""

_MOVES = frozenset({"created", "deleted", "modified", "moved", "attrib"})


class Watch:
    """A running watcher of one root."""

    def __init__(self, root: Path, wake: Callable[[], None]) -> None:
        """Start watching; nothing counts as seen until `swept` is called. `wake` is called at
        every move that matters, on the watcher's thread."""
        # watchdog costs 20 ms to import; small workspaces never need it.
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        watch = self

        class _Handler(FileSystemEventHandler):
            def dispatch(self, event: FileSystemEvent) -> None:
                watch._take(event)

        self._prefix, self._wake = f"{root}/", wake
        self._lock = threading.Lock()
        self._dirty: set[str] = set()
        self._lost = True
        self._swept_at = 0.0
        self._listener = _LossListener(self)
        logging.getLogger("watchdog").addHandler(self._listener)
        self._observer = Observer()
        self._observer.daemon = True
        try:
            self._observer.schedule(_Handler(), str(root), recursive=True)
            self._observer.start()
        except OSError:
            # Out of inotify watches: never trusted, every request sweeps.
            self._dead = True
        else:
            self._dead = False

    @property
    def alive(self) -> bool:
        """Whether events still come."""
        if self._dead or not self._observer.is_alive():
            return False
        return all(emitter.is_alive() for emitter in self._observer.emitters)

    def drain(self) -> set[str] | None:
        """Folders in which something moved since the last call; None = unknown, sweep."""
        with self._lock:
            overdue = time.monotonic() - self._swept_at > TRUST_S
            if self._lost or overdue or not self.alive:
                return None
            dirty, self._dirty = self._dirty, set()
            return dirty

    def swept(self) -> None:
        """The caller is about to sweep everything: what came before it does not matter."""
        with self._lock:
            self._dirty.clear()
            self._lost = False
            self._swept_at = time.monotonic()

    def lose(self) -> None:
        """Events were lost: the next `drain` answers None."""
        with self._lock:
            self._lost = True

    def close(self) -> None:
        """Stop watching."""
        logging.getLogger("watchdog").removeHandler(self._listener)
        if not self._dead:
            self._observer.stop()
            self._observer.join(timeout=2)
        self._dead = True

    def _take(self, event: FileSystemEvent) -> None:
        if event.event_type not in _MOVES:
            return
        for raw in (event.src_path, event.dest_path):
            path = str(raw)
            if path.startswith(self._prefix):
                self._note(path[len(self._prefix) :], event.is_directory)

    def _note(self, path: str, is_folder: bool) -> None:
        folder, _, name = path.rpartition("/")
        parts = path.split("/")
        if any(part[0] in "._" or part in SKIPPED_FOLDERS for part in parts if part):
            return
        if not is_folder and not is_watched(name):
            return
        with self._lock:
            self._dirty.add(folder)
            if is_folder:
                self._dirty.add(path)
        self._wake()


class _LossListener(logging.Handler):
    """Hears watchdog say that the kernel dropped events: it tells its log alone."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(logging.WARNING)
        self._watch = watch

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage() or record.levelno >= logging.ERROR:
            self._watch.lose()
