"""History: the accepted edits of a workspace, numbered from 1, with what undo needs.

Invariant: a number is never used twice; rows are durable before the edit is answered.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SCHEMA = """
create table if not exists edits(
  n integer primary key autoincrement, txn text unique not null, at real not null,
  title text not null, request text not null, undo_of integer not null default 0,
  undone_by integer not null default 0,
  confirmation text not null default 'pending', detail text not null default '',
  bytes integer not null);
create table if not exists files(
  edit integer not null references edits(n) on delete cascade, path text not null,
  before blob, after blob, mode integer not null, primary key(edit, path)) without rowid;
"""
_KEEP_S = 30 * 86400


@dataclass(frozen=True)
class HistoryFile:
    """One file of an edit: bytes before and after (None = absent) and its mode."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int


@dataclass(frozen=True)
class HistoryEdit:
    """One accepted edit; `at` is seconds since the epoch, `files` empty in listings."""

    n: int
    at: float
    title: str
    request: str
    undo_of: int
    undone_by: int
    confirmation: str
    detail: str
    paths: tuple[str, ...]
    files: tuple[HistoryFile, ...] = ()


class History:
    """The history database of one root; each call opens its own connection, so any thread may."""

    def __init__(self, state: Path, limit_mb: int = 200) -> None:
        self.state = state
        self._path = state / "history.db"
        self._limit = limit_mb * 1_000_000
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._open() as db:
            db.executescript(_SCHEMA)

    def record(
        self, txn: str, title: str, request: str, undo_of: int, files: Iterable[HistoryFile]
    ) -> int:
        """Write an edit durably; returns its number, the first one for a txn that is known."""
        rows = [(f.path, _pack(f.before), _pack(f.after), f.mode) for f in files]
        size = sum(len(b or b"") + len(a or b"") for _, b, a, _ in rows)
        with self._open() as db:
            known = db.execute("select n from edits where txn = ?", (txn,)).fetchone()
            if known:
                return int(known[0])
            head = (txn, time.time(), title, request, undo_of, size)
            sql = "insert into edits(txn, at, title, request, undo_of, bytes) values(?,?,?,?,?,?)"
            n = int(db.execute(sql, head).lastrowid or 0)
            db.executemany("insert into files values(?,?,?,?,?)", [(n, *row) for row in rows])
            if undo_of:
                db.execute("update edits set undone_by = ? where n = ?", (n, undo_of))
            self._prune(db, n)
            return n

    def find(self, n: int) -> HistoryEdit | None:
        """One edit with its files, None when there is none or it is no longer kept."""
        with self._open() as db:
            row = db.execute(f"select {_COLUMNS} from edits where n = ?", (n,)).fetchone()
            if row is None:
                return None
            sql = "select path, before, after, mode from files where edit = ? order by path"
            files = [
                HistoryFile(path, _unpack(before), _unpack(after), mode)
                for path, before, after, mode in db.execute(sql, (n,))
            ]
        return _edit(row, tuple(f.path for f in files), tuple(files))

    def page(self, offset: int, limit: int) -> tuple[int, list[HistoryEdit]]:
        """(how many edits are kept, the asked ones newest first without their files)."""
        with self._open() as db:
            count = int(db.execute("select count(*) from edits").fetchone()[0])
            sql = f"select {_COLUMNS} from edits order by n desc limit ? offset ?"
            rows = db.execute(sql, (limit, offset)).fetchall()
            paths = "select path from files where edit = ? order by path"
            return count, [
                _edit(row, tuple(p for (p,) in db.execute(paths, (row[0],)))) for row in rows
            ]

    def find_undoable(self) -> int:
        """Number of the newest edit that is neither undone nor an undo, 0 when there is none."""
        with self._open() as db:
            sql = "select max(n) from edits where undone_by = 0 and undo_of = 0"
            return int(db.execute(sql).fetchone()[0] or 0)

    def find_key(self, key: str) -> int:
        """Number of the edit that came to be under an idempotency key, 0 when none did."""
        with self._open() as db:
            sql = "select max(n) from edits where request ->> '$.key' = ? and undone_by != n"
            return int(db.execute(sql, (key,)).fetchone()[0] or 0)

    def requests(self) -> list[str]:
        """The requests of the edits that came to be, undos among them, oldest first."""
        with self._open() as db:
            sql = "select request from edits where undone_by != n order by n"
            return [request for (request,) in db.execute(sql)]

    def texts_after(self, n: int) -> dict[str, bytes | None] | None:
        """What the files that kept edits wrote held after edit `n` (0: before the first), each None
        where it was not there; None when `n` is not kept."""
        came = "edits.n = files.edit and edits.undone_by != edits.n"
        first = f"select path, before, min(edit) from files join edits on {came} where edit > ?"
        last = f"select path, after, max(edit) from files join edits on {came} where edit <= ?"
        with self._open() as db:
            if not db.execute("select 1 from edits where n = max(?, 1)", (n,)).fetchone():
                return None
            return {
                path: _unpack(text)
                for sql in (last, first)
                for path, text, _ in db.execute(f"{sql} group by path", (n,))
            }

    def confirm(self, n: int, state: str, detail: str = "") -> None:
        """Store what the background confirmation found of an edit."""
        with self._open() as db:
            sql = "update edits set confirmation = ?, detail = ? where n = ?"
            db.execute(sql, (state, detail, n))

    def mark_interrupted(self, n: int, detail: str) -> None:
        """An edit that a crash interrupted, taken back: kept for its bytes, not to be undone."""
        with self._open() as db:
            state = "undone_by = n, confirmation = 'unconfirmed', detail = ?"
            db.execute(f"update edits set {state} where n = ?", (detail, n))

    def pending(self) -> list[int]:
        """Numbers of the edits that still wait for confirmation, oldest first."""
        with self._open() as db:
            sql = "select n from edits where confirmation = 'pending' order by n"
            return [int(n) for (n,) in db.execute(sql)]

    def _prune(self, db: sqlite3.Connection, newest: int) -> None:
        """Drop what is older than 30 days or over the size limit, never the newest edit."""
        db.execute("delete from edits where at < ? and n < ?", (time.time() - _KEEP_S, newest))
        total = 0
        for n, size in db.execute("select n, bytes from edits order by n desc").fetchall():
            total += size
            if total > self._limit and n < newest:
                db.execute("delete from edits where n <= ?", (n,))
                return

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._path, timeout=10)
        try:
            db.execute("pragma synchronous = full")
            db.execute("pragma foreign_keys = on")
            with db:
                yield db
        finally:
            db.close()


_COLUMNS = "n, at, title, request, undo_of, undone_by, confirmation, detail"
_Row = tuple[int, float, str, str, int, int, str, str]


def _edit(row: _Row, paths: tuple[str, ...], files: tuple[HistoryFile, ...] = ()) -> HistoryEdit:
    return HistoryEdit(*row, paths, files)


def _pack(data: bytes | None) -> bytes | None:
    return None if data is None else zlib.compress(data, 1)


def _unpack(data: bytes | None) -> bytes | None:
    return None if data is None else zlib.decompress(data)
