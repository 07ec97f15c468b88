"""The facts database: open it, rebuild it when it is of another make, lend connections.

Invariant: facts are a cache; a database that can't be used is made anew, never repaired.
Invariant: one transaction at a time writes; readers see a whole state and wait for nobody.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from ago.protocol.errors import Busy

SCHEMA_VERSION = 4
MIGRATIONS: Mapping[int, str] = {}
"""Schema version -> script that leads to the next one; a version without a script is rebuilt."""

ROLES = (
    "def", "read", "write", "address", "call", "go", "defer", "method_value", "value", "conversion",
    "type", "embed", "key", "unkeyed", "promotion", "instance", "label", "import", "doc_link",
    "doc_name", "directive", "asm", "dot_import",
)  # fmt: skip
"""Roles of uses; a role's place here is its number in the database, so new ones go to the end."""

STATE = "state"
"""The key in `meta` of a name that no other state of any facts has."""

LOG_PAGES = 1000
"""The write-ahead log is taken into the database when it is longer."""

_SCHEMA = Path(__file__).with_name("schema.sql")


class FactsStore:
    """One facts database, its writing connection and its lent readers."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        """Open `path`; facts of another fingerprint (checker build) are dropped."""
        self._path, self._fingerprint = path, fingerprint
        self._writing, self._lending = threading.Lock(), threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._writer = self._open()

    @property
    def path(self) -> Path:
        """Where the database lies."""
        return self._path

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The writing connection in one transaction: all of what is done in it, or nothing."""
        with self._writing:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                raise Busy("facts_busy", f"another process writes the facts: {error}") from error
            try:
                yield self._writer
                write_meta(self._writer, STATE, secrets.token_hex(8))
            except BaseException:
                self._writer.rollback()
                raise
            self._writer.commit()
            self._writer.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")

    @contextlib.contextmanager
    def big_transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction that writes most of the database: its log is taken in by a later one, and
        what it needed of memory goes back."""
        self._writer.execute("PRAGMA wal_autocheckpoint = 0")
        with self.transaction() as db:
            yield db
        self._writer.execute("PRAGMA shrink_memory")
        _trim_heap()

    def borrow(self) -> sqlite3.Connection:
        """A reading connection that is fixed on the present state until it is given back."""
        with self._lending:
            reader = self._idle.pop() if self._idle else self._connect(readonly=True)
        reader.execute("BEGIN")
        # A deferred transaction takes its snapshot at its first read.
        reader.execute("SELECT 1 FROM meta").fetchone()
        return reader

    def give_back(self, reader: sqlite3.Connection) -> None:
        """Take a lent connection back."""
        with contextlib.suppress(sqlite3.ProgrammingError):
            reader.rollback()
            with self._lending:
                self._idle.append(reader)

    def size(self) -> int:
        """Bytes of the database on the disk."""
        return self._path.stat().st_size

    def close(self) -> None:
        """Close every connection that is not lent."""
        with self._lending:
            for reader in self._idle:
                reader.close()
            self._idle.clear()
            self._writer.close()

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(sqlite3.DatabaseError):
            writer = self._connect()
            if _migrate(writer) and _fingerprint(writer) == self._fingerprint:
                return writer
            writer.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        writer = self._connect()
        writer.executescript(_SCHEMA.read_text())
        writer.executemany("INSERT INTO role VALUES (?, ?)", enumerate(ROLES))
        writer.execute("INSERT INTO meta VALUES ('fingerprint', ?)", (self._fingerprint,))
        writer.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return writer

    def _connect(self, readonly: bool = False) -> sqlite3.Connection:
        # Autocommit: transactions are begun by hand. A connection is used by one thread at a time.
        db = sqlite3.connect(
            self._path, timeout=10.0, isolation_level=None, check_same_thread=False
        )
        # mmap off: a database that another process truncates would be a SIGBUS for us.
        db.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 0;"
            "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;"
        )
        db.execute(f"PRAGMA cache_size = {-8_000 if readonly else -32_000}")
        if readonly:
            db.execute("PRAGMA query_only = ON")
        return db


def _trim_heap() -> None:
    """Give free memory of the C heap back: glibc keeps what lies below a block still in use."""
    if sys.platform == "linux":
        import ctypes  # not on the path of a start with facts

        with contextlib.suppress(OSError, AttributeError):  # musl has no malloc_trim
            ctypes.CDLL(None).malloc_trim(0)


def read_meta(db: sqlite3.Connection, key: str) -> str:
    """A value of the meta table, "" when it is not there."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def write_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Set a value of the meta table."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _migrate(db: sqlite3.Connection) -> bool:
    """Bring an existing database to the current schema; False when it has to be made anew."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    while version != SCHEMA_VERSION:
        script = MIGRATIONS.get(version)
        if script is None:
            return False
        version += 1
        db.executescript(f"BEGIN; {script}; PRAGMA user_version = {version}; COMMIT;")
    return True


def _fingerprint(db: sqlite3.Connection) -> str:
    return read_meta(db, "fingerprint")
