"""The file table of the disk in the facts database, so that a restart knows what it has seen.

Invariant: rows of a file are written in the transaction that brings the facts of its bytes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence


def read_files(db: sqlite3.Connection) -> list[tuple[str, int, int, int, int, int, str, int]]:
    """path, mtime_ns, ctime_ns, size, inode, read_ns, hash, generated of every file."""
    return db.execute("SELECT * FROM disk_file").fetchall()


def read_folders(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """path, mtime_ns, read_ns of every folder."""
    return db.execute("SELECT * FROM disk_dir").fetchall()


def write_files(
    db: sqlite3.Connection,
    paths: Iterable[str],
    files: Mapping[str, Sequence[int | str]],
) -> None:
    """Store the entries of some paths; a path without an entry is forgotten."""
    _write(db, "disk_file", 8, paths, files)


def write_folders(
    db: sqlite3.Connection,
    paths: Iterable[str],
    folders: Mapping[str, Sequence[int]],
) -> None:
    """Store the entries of some folders; a folder without an entry is forgotten."""
    _write(db, "disk_dir", 3, paths, folders)


def _write(
    db: sqlite3.Connection,
    table: str,
    columns: int,
    paths: Iterable[str],
    entries: Mapping[str, Sequence[int | str]] | Mapping[str, Sequence[int]],
) -> None:
    todo = list(paths)
    db.executemany(f"DELETE FROM {table} WHERE path = ?", [(p,) for p in todo if p not in entries])
    db.executemany(
        f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * columns)})",
        [(p, *entries[p]) for p in todo if p in entries],
    )
