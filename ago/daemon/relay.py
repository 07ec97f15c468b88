"""Relay: carry messages between this process's stdio and the daemon of a workspace.

The relay understands no protocol but this: which request an answer belongs to, and which messages
open a session. What a lost or replaced daemon has not answered goes to the next one.

Invariant: no answer is passed on twice, and no request is dropped without one.
"""

from __future__ import annotations

import json
import os
import select
import threading
from contextlib import suppress

from ago import wire
from ago.daemon.client import NoDaemon, connect, describe

TYPE_CHECKING = False  # see ago/wire.py
if TYPE_CHECKING:
    from _socket import socket as Socket
    from collections.abc import Iterator
    from typing import Any

MAX_LINE = 64 << 20
TRIES = 5
LOST_TWICE = 2
"""How often a request may end its daemon before it is answered with that."""

DRAIN_S = 0.2
INTERNAL_ERROR = -32603


class _Asked:
    """A request that waits for its answer."""

    __slots__ = ("line", "losses", "sent")

    def __init__(self, line: bytes) -> None:
        self.line, self.losses, self.sent = line, 0, False


class Relay:
    """One client's conversation, over as many daemons as it takes."""

    def __init__(self, root: str, argv: list[str]) -> None:
        self._root = root
        self._request = wire.pack_frame(wire.TALK, describe([os.urandom(8).hex(), *argv]).pack())
        self._lock = threading.RLock()
        self._connection: Socket | None = None
        self._asked: dict[Any, _Asked] = {}
        self._opening: list[tuple[Any, bytes]] = []
        """(id or None, line) of the messages that opened the session, once they are answered."""
        self._unheard: set[Any] = set()
        """Requests whose answers the client has had from an earlier daemon."""

    def run(self) -> int:
        """Carry until the client has no more to say and has its answers; the exit code."""
        with self._lock:
            self._open()
        for line in read_lines():
            with self._lock:
                self._say(line)
        while self._asked and not is_broken(1):
            threading.Event().wait(DRAIN_S)
        return 0

    def _say(self, line: bytes) -> None:
        """Note what the client says, and send it on."""
        number, method, params = _read(line)
        if method == "notifications/cancelled":
            self._asked.pop(params.get("requestId"), None)
        if asked := _Asked(line) if number is not None and method else None:
            self._asked[number] = asked
        elif method == "notifications/initialized":
            self._opening.append((None, line))
        if self._connection is None:
            self._reopen()  # sends what opens the session and all that waits
        elif asked:
            asked.sent = True
            self._send(wire.MESSAGE, line)
        else:
            self._send(wire.MESSAGE, line)

    def _send(self, kind: bytes, line: bytes) -> None:
        if self._connection is None:
            return
        # The thread that reads finds the end of the connection, where there is one.
        with suppress(OSError):
            self._connection.sendall(wire.pack_frame(kind, line))

    def _open(self) -> None:
        """Connect to the daemon, starting one where there is none; raises NoDaemon."""
        for _ in range(TRIES):
            connection = connect(self._root)
            try:
                connection.sendall(self._request)
                begun = wire.read_frame(connection.recv)
            except (OSError, wire.WireError):
                continue
            if begun is None or begun[0] == wire.REPLACED:
                continue
            if begun[0] != wire.BEGUN:
                break
            self._connection = connection
            threading.Thread(target=self._listen, args=(connection,), daemon=True).start()
            return
        raise NoDaemon

    def _reopen(self) -> None:
        """Go on with another daemon: open the session again, then send what waits."""
        try:
            self._open()
        except NoDaemon:
            for number in list(self._asked):
                self._fail(number, "no daemon can be reached; `ago doctor` looks at what is needed")
            return
        for number, line in self._opening:
            if number is not None:
                self._unheard.add(number)
            self._send(wire.MESSAGE, line)
        for asked in self._asked.values():
            self._send(wire.AGAIN if asked.sent else wire.MESSAGE, asked.line)
            asked.sent = True

    def _listen(self, connection: Socket) -> None:
        """Pass on what the daemon says, until it ends."""
        moved_on = False
        while not moved_on:
            try:
                frame = wire.read_frame(connection.recv)
            except (OSError, wire.WireError):
                frame = None
            if frame is None:
                break
            moved_on = frame[0] == wire.REPLACED
            if not moved_on:
                with self._lock:
                    self._hear(frame[1])
        with self._lock:
            self._connection = None
            if not moved_on:
                self._count_losses()
            if self._asked:
                self._reopen()

    def _hear(self, line: bytes) -> None:
        number, method, _ = _read(line)
        if number is not None and not method:
            if number in self._unheard:
                self._unheard.discard(number)
                return
            asked = self._asked.pop(number, None)
            if asked and _read(asked.line)[1] == "initialize":
                self._opening.insert(0, (number, asked.line))
        write_line(line)

    def _count_losses(self) -> None:
        """Give up on requests that ended one daemon after the other."""
        for number, asked in list(self._asked.items()):
            asked.losses += asked.sent
            if asked.losses >= LOST_TWICE:
                self._fail(number, "the daemon ended twice before it answered this")

    def _fail(self, number: Any, message: str) -> None:
        del self._asked[number]
        error = {"code": INTERNAL_ERROR, "message": message}
        write_line(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode())


def _read(line: bytes) -> tuple[Any, str, dict[str, Any]]:
    """(id, method, params) of a message; None, "" and {} for what it lacks or has otherwise."""
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    found = message if isinstance(message, dict) else {}
    number, method, params = found.get("id"), found.get("method"), found.get("params")
    return (
        number if isinstance(number, int | str) else None,
        method if isinstance(method, str) else "",
        params if isinstance(params, dict) else {},
    )


def read_lines() -> Iterator[bytes]:
    """The lines of stdin, without blank ones and endless ones."""
    parts: list[bytes] = []
    size = 0
    while part := _read_stdin():
        *lines, rest = part.split(b"\n")
        if lines:
            parts.append(lines[0])
            lines[0] = b"".join(parts) if size <= MAX_LINE else b""
            parts, size = [], 0
        yield from (line for line in lines if line.strip())
        size += len(rest)
        if size <= MAX_LINE:
            parts.append(rest)
    if last := b"".join(parts).strip():
        yield last


def _read_stdin() -> bytes:
    try:
        return os.read(0, 1 << 16)
    except OSError:
        return b""


def is_broken(fd: int) -> bool:
    """Whether nobody reads what is written there any more."""
    poll = select.poll()
    poll.register(fd, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def write_line(line: bytes) -> None:
    """Write one message to stdout."""
    view = memoryview(line + b"\n")
    try:
        while view:
            view = view[os.write(1, view) :]
    except OSError:
        os._exit(0)  # the client is gone
