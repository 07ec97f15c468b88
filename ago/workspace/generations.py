"""Generations: an integer for each declaration that moves only when its bytes do.

Invariant: a number is never given twice to different bytes of one declaration, whatever restarts or
clears the cache: the database lies with the state, and rows are kept.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import zlib
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS generation (
  pkg TEXT NOT NULL, sym TEXT NOT NULL, generation INTEGER NOT NULL, hash BLOB NOT NULL,
  text BLOB, PRIMARY KEY (pkg, sym, generation)
) WITHOUT ROWID;
"""
_KEPT_TEXTS = 4
"""So many last texts of a declaration are kept, to map handles of a stale generation."""


class Generations:
    """The counters of one workspace."""

    def __init__(self, path: Path) -> None:
        """Open (or make) the database."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
        self._db.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 0;"
            + _SCHEMA
        )

    def current(self, pkg: str, sym: str, text: bytes) -> int:
        """The generation of a declaration whose bytes are `text` now; they move it when new."""
        digest = hashlib.sha256(text).digest()[:16]
        with self._lock:
            last = self._last(pkg, sym)
            if last and last[1] == digest:
                return last[0]
            generation = last[0] + 1 if last else 1
            # Two processes may both see the move: the second one finds the row of the first.
            self._db.execute(
                "INSERT OR IGNORE INTO generation VALUES (?, ?, ?, ?, ?)",
                (pkg, sym, generation, digest, zlib.compress(text, 1)),
            )
            self._db.execute(
                "DELETE FROM generation WHERE pkg = ? AND sym = ? AND generation <= ?",
                (pkg, sym, generation - _KEPT_TEXTS),
            )
            return generation

    def text_of(self, pkg: str, sym: str, generation: int) -> bytes | None:
        """The bytes that a generation stood for, None when it was never given or is long past."""
        with self._lock:
            row = self._db.execute(
                "SELECT text FROM generation WHERE pkg = ? AND sym = ? AND generation = ?",
                (pkg, sym, generation),
            ).fetchone()
        return zlib.decompress(row[0]) if row else None

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def _last(self, pkg: str, sym: str) -> tuple[int, bytes] | None:
        row = self._db.execute(
            "SELECT generation, hash FROM generation WHERE pkg = ? AND sym = ?"
            " ORDER BY generation DESC LIMIT 1",
            (pkg, sym),
        ).fetchone()
        return (int(row[0]), bytes(row[1])) if row else None
