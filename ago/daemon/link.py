"""Links: how a front that lives long asks a workspace and follows what happens to it.

Invariant: a link never raises; a daemon that ends, or gives way to a newer one, is found again.
Invariant: an edit whose answer was lost is not sent again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from ago import wire
from ago.daemon.client import LOST, NoDaemon, connect, describe
from grammar_ops.reject import Json

if TYPE_CHECKING:
    from _socket import socket as Socket

    from ago.daemon.feed import Tell

GREETING_S = 2.0
"""How long a daemon is taken to be ours (our version, today's configuration) without asking."""
RETRY_S = 0.2
_TRIES = 5


class Service(Protocol):
    """A workspace in this process, where no daemon can be had."""

    def call(self, tool: str, args: dict[str, Json]) -> dict[str, Json]:
        """The response to a tool call."""

    def follow(self, tell: Tell) -> None:
        """Tell `tell` what happens from now on."""


class Link:
    """One workspace, asked through its daemon, or in this process where there can be none."""

    def __init__(self, root: str, open_here: Callable[[], Service]) -> None:
        """Connects to nothing yet; `open_here` is called at most once."""
        self._root, self._open_here = root, open_here
        self._here: Service | None = None
        self._lock = threading.Lock()
        self._greeted = 0.0
        self._closed = threading.Event()
        self._feed: Socket | None = None

    def call(self, tool: str, args: dict[str, Json]) -> dict[str, Json]:
        """The response to a tool call; any thread may call."""
        frame = wire.pack_frame(wire.CALL, wire.dump_json({"tool": tool, "args": args}))
        for _ in range(_TRIES):
            try:
                self._greet()
                connection = connect(self._root)
            except NoDaemon:
                return self._service().call(tool, args)
            try:
                connection.sendall(frame)
                if answer := wire.read_frame(connection.recv):
                    return dict(wire.load_json(answer[1]))
            except (OSError, wire.WireError):
                pass
            finally:
                connection.close()
            if not _may_repeat(tool, args):
                break
        return dict(wire.load_json(LOST.encode()))

    def follow(self, tell: Tell, begun: Callable[[], None]) -> None:
        """Tell of what happens until the link is closed; `begun` whenever something may have been
        missed: at first, and after each daemon that ended."""
        while not self._closed.is_set():
            try:
                self._greet()
                self._feed = connect(self._root)
            except NoDaemon:
                self._service().follow(tell)
                begun()
                self._closed.wait()
                return
            with suppress(OSError, wire.WireError):
                self._feed.sendall(wire.pack_frame(wire.FOLLOW))
                while frame := wire.read_frame(self._feed.recv):
                    kind, payload = frame
                    if kind == wire.EVENT:
                        tell(wire.load_json(payload))
                    else:
                        begun()
            self._feed.close()
            self._closed.wait(RETRY_S)

    def close(self) -> None:
        """Follow no longer."""
        from _socket import SHUT_RDWR

        self._closed.set()
        if self._feed:
            with suppress(OSError):
                self._feed.shutdown(SHUT_RDWR)

    def _greet(self) -> None:
        """Let a daemon of older code or another configuration give way, as any command does."""
        if time.monotonic() - self._greeted < GREETING_S:
            return
        request = wire.pack_frame(wire.RUN, describe(["--version"]).pack())
        for _ in range(_TRIES):
            connection = connect(self._root)
            try:
                connection.sendall(request)
                begun = wire.read_frame(connection.recv)
                while begun and begun[0] != wire.RUN_HERE and wire.read_frame(connection.recv):
                    pass
            except (OSError, wire.WireError):
                continue
            finally:
                connection.close()
            if begun and begun[0] == wire.RUN_HERE:
                raise NoDaemon
            if begun and begun[0] == wire.BEGUN:
                self._greeted = time.monotonic()
                return
        raise NoDaemon

    def _service(self) -> Service:
        with self._lock:
            if self._here is None:
                self._here = self._open_here()
            return self._here


def _may_repeat(tool: str, args: dict[str, Json]) -> bool:
    """Whether a call that may have been served changes nothing by being served again."""
    from ago.protocol.requests import READS

    return tool in READS or bool(args.get("dry_run"))
