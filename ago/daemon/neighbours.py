"""Neighbours: calls for workspaces other than the one that is served here.

Invariant: each root has one daemon; it is asked wherever it can be reached, and its work is done
here only where it can't.
"""

from __future__ import annotations

import select
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ago import wire
from ago.daemon.caller import Answer, Caller
from ago.daemon.client import NoDaemon, connect
from ago.protocol.errors import EXIT_OK, AgoError, Busy
from grammar_ops.reject import Json

if TYPE_CHECKING:
    from _socket import socket as Socket

TRIES = 3
LOOK_MS = 100
"""How soon it is seen that nobody waits for an answer any more."""

Answerer = Callable[[str, dict[str, Json], Caller], Answer]


class Neighbours:
    """Answers calls for any root."""

    def __init__(self, home: Path | None, answer: Answerer, open_here: Callable[[Path], Answerer]):
        """`answer` is that of `home`; `open_here` serves a root without a daemon."""
        self._home, self._answer, self._open_here = home, answer, open_here
        self._here: dict[Path, Answerer] = {}
        self._lock = threading.Lock()

    @property
    def has_home(self) -> bool:
        """Whether there is a workspace where the process was started."""
        return self._home is not None

    def answer(self, root: Path | None, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
        """The answer of the workspace at `root`, None being home."""
        if root in (None, self._home):
            return self._answer(tool, args, caller)
        assert root is not None
        try:
            return _ask(root, tool, args, caller)
        except NoDaemon:
            with self._lock:
                if root not in self._here:
                    self._here[root] = self._open_here(root)
            return self._here[root](tool, args, caller)


def _ask(root: Path, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
    """The answer of the daemon of a root; raises NoDaemon, AgoError."""
    call = {"tool": tool, "args": args, "key": caller.key, "progress": True}
    request = wire.pack_frame(wire.CALL, wire.dump_json(call))
    for _ in range(TRIES):
        connection = connect(str(root))
        try:
            connection.sendall(request)
            while (frame := _await_frame(connection, caller)) and frame[0] == wire.EVENT:
                step = wire.load_json(frame[1])
                caller.hear(step["phase"], step["done"], step["total"])
        except (OSError, wire.WireError):
            continue  # it was on its way out; an edit is made once for its key
        finally:
            connection.close()
        if frame and frame[0] == wire.ANSWER:
            return Answer(wire.load_json(frame[1]), EXIT_OK)
    raise AgoError("daemon_lost", f"the daemon of {root} ended", "send the call again")


def _await_frame(connection: Socket, caller: Caller) -> tuple[bytes, bytes] | None:
    """The next frame, None at the end; raises Busy when the caller is gone.

    The daemon at the other end sees the connection end, and ends what runs for it.
    """
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    while not poll.poll(LOOK_MS):
        if caller.gone.is_set():
            raise Busy("cancelled", "nobody waits for this answer any more", "send it again")
    return wire.read_frame(connection.recv)
