"""The request log: what was asked, what came of it and how long it took, one JSON line each.

Invariant: nobody waits for it, it holds no source text (the file that AGO_LOG_REQUESTS names does),
and it never grows beyond two files of LIMIT bytes.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue

import orjson

from ago.daemon.resend import request_key
from grammar_ops.reject import Json

log = logging.getLogger(__name__)

LIMIT = 10_000_000
WHOLE = "AGO_LOG_REQUESTS"
"""Names a file that gets every request whole, source text included."""

_CAP = 200
_POLL_S = 0.2

Row = dict[str, Json]


class RequestLog:
    """Writes the rows of one workspace on a thread of its own. Any thread may note."""

    def __init__(self, state: Path, limit: int = LIMIT) -> None:
        """Nothing is opened before there is something to write."""
        self._file, self._limit = log_file(state), limit
        self._queue: SimpleQueue[tuple[bytes, str] | threading.Event | None] = SimpleQueue()
        self._writer: threading.Thread | None = None
        self._starting = threading.Lock()

    def note(
        self, tool: str, args: Mapping[str, Json], body: Mapping[str, Json], ms: float, whole: str
    ) -> None:
        """One request and its response; `whole` is the file that gets it with its arguments."""
        row = orjson.dumps(describe(tool, args, body, ms))
        self._queue.put((row + b"\n", ""))
        if whole:
            entry = orjson.loads(row) | {"args": args}
            self._queue.put((orjson.dumps(entry) + b"\n", whole))
        if self._writer is None:
            with self._starting:
                if self._writer is None:
                    self._writer = threading.Thread(target=self._write, daemon=True)
                    self._writer.start()

    def flush(self) -> None:
        """Wait until what was noted is written."""
        if self._writer:
            written = threading.Event()
            self._queue.put(written)
            written.wait(2)

    def close(self) -> None:
        """Write what is left and end the thread."""
        if self._writer:
            self._queue.put(None)
            self._writer.join(2)

    def _write(self) -> None:
        while (item := self._queue.get()) is not None:
            if isinstance(item, threading.Event):
                item.set()
                continue
            line, name = item
            try:
                self._append(Path(name) if name else self._file, line, rotate=not name)
            except OSError as error:
                log.warning("the request log can't be written: %s", error)

    def _append(self, file: Path, line: bytes, *, rotate: bool) -> None:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileNotFoundError):
            if rotate and file.stat().st_size + len(line) > self._limit:
                file.replace(older(file))
        # One write of a whole line: processes that append at the same time tear nothing.
        with open(file, "ab", buffering=0, opener=_private) as out:
            out.write(line)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def log_file(state: Path) -> Path:
    """The file of a workspace's requests."""
    return state / "requests.jsonl"


def older(file: Path) -> Path:
    """The file that was full before."""
    return file.with_suffix(".1.jsonl")


def describe(tool: str, args: Mapping[str, Json], body: Mapping[str, Json], ms: float) -> Row:
    """A row: names, numbers and hashes of a request and its response, no text of either."""
    now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    row: Row = {
        "ts": now, "op": tool, "ms": round(ms, 1), "req_sha": request_key(tool, dict(args))
    }  # fmt: skip
    for key in ("pkg", "sym", "kind", "generation"):
        if value := args.get(key):
            row[key] = value if isinstance(value, int) else str(value)[:_CAP]
    row["outcome"] = body.get("status")
    for key in ("reason", "key", "edit", "resent", "dry_run"):
        if value := body.get(key):
            row[key] = value
    offered = [request_key(*call) for call in _offered(body)]
    if offered:
        row |= {"repairs": len(offered), "offers": list(offered)}
    row["bytes"] = len(orjson.dumps(body))
    return row


def _offered(body: Mapping[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    repairs = body.get("possible_repairs")
    for repair in repairs if isinstance(repairs, list) else []:
        call = repair.get("call") if isinstance(repair, dict) else None
        if isinstance(call, dict) and isinstance(args := call.get("args"), dict):
            yield str(call.get("tool")), args


def read_rows(state: Path) -> list[Row]:
    """Every row that is kept, oldest first; lines that can't be read are left out."""
    rows = []
    file = log_file(state)
    for part in (older(file), file):
        with suppress(FileNotFoundError):
            rows += list(_parse(part.read_bytes()))
    return rows


def follow_rows(state: Path, last: int, gone: threading.Event) -> Iterator[Row]:
    """The last rows, and then each one as it is written, until nobody listens any more."""
    yield from read_rows(state)[-last:]
    file = log_file(state)
    place, inode = _size(file)
    while not gone.wait(_POLL_S):
        size, now = _size(file)
        if now != inode:
            place, inode = 0, now
        if size > place:
            with file.open("rb") as lines:
                lines.seek(place)
                data = lines.read()
            whole = data.rfind(b"\n") + 1
            place += whole
            yield from _parse(data[:whole])


def _size(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_ino


def _parse(data: bytes) -> Iterator[Row]:
    for line in data.splitlines():
        with suppress(orjson.JSONDecodeError):
            if isinstance(row := orjson.loads(line), dict):
                yield row
