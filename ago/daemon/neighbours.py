"""Neighbours: calls for workspaces other than the one that is served here.

Invariant: each root has one daemon; it is asked wherever it can be reached, and its work is done
here only where it can't.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from ago import wire
from ago.daemon.client import NoDaemon, connect
from ago.daemon.dispatch import Answer, Caller
from ago.protocol.errors import EXIT_OK, AgoError
from grammar_ops.reject import Json

TRIES = 3

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
            return _ask(root, tool, args, caller.key)
        except NoDaemon:
            with self._lock:
                if root not in self._here:
                    self._here[root] = self._open_here(root)
            return self._here[root](tool, args, caller)


def _ask(root: Path, tool: str, args: dict[str, Json], key: str) -> Answer:
    """The answer of the daemon of a root; raises NoDaemon, AgoError."""
    request = wire.pack_frame(wire.CALL, wire.dump_json({"tool": tool, "args": args, "key": key}))
    for _ in range(TRIES):
        connection = connect(str(root))
        try:
            connection.sendall(request)
            frame = wire.read_frame(connection.recv)
        except (OSError, wire.WireError):
            continue  # it was on its way out; an edit is made once for its key
        finally:
            connection.close()
        if frame and frame[0] == wire.ANSWER:
            return Answer(wire.load_json(frame[1]), EXIT_OK)
    raise AgoError("daemon_lost", f"the daemon of {root} ended", "send the call again")
