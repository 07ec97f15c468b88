"""The daemon's process from its first moment: a socket at once, and the rest when it is asked for.

Invariant: nothing here imports the catalog, the engine or a checker: an MCP client that started
this process has its list of tools before any of them is loaded.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Protocol

import ago
from ago.config import config_stamp, load_config, state_home
from ago.daemon import place
from ago.daemon.caller import Answer, Caller
from ago.daemon.channel import Channel
from ago.daemon.feed import Followed, Tell
from ago.daemon.server import Post, serve
from ago.daemon.spawn import hold_lock, listen
from ago.daemon.terminal import Terminal
from ago.fronts.mcp.calls import Calls
from ago.protocol.errors import AgoError
from ago.workspace.roots import root_hash
from grammar_ops.reject import Json

HOME = str(Path(ago.__file__).resolve().parent)
LOG_BYTES = 2_000_000


class Host(Followed, Protocol):
    """What serves a workspace; handed in by the composition root."""

    def run(self, argv: list[str], terminal: Terminal) -> int:
        """Run a command line and return its exit code."""

    def answer(self, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
        """The response to a tool call with its exit code."""

    def answer_for(
        self, root: Path | None, tool: str, args: dict[str, Json], caller: Caller
    ) -> Answer:
        """The answer of the workspace at `root`, None being the one that is served here."""

    def warm(self, ended: Callable[[], bool]) -> None:
        """Get ready for what usually follows a first request, until `ended`."""

    def tend(self) -> bool:
        """Hold the memory cap; False when this process itself is over it."""

    def close(self) -> None:
        """Let go of everything."""


OpenHost = Callable[[Path, Mapping[str, str]], Host]


def run_daemon(root: Path | None, env: Mapping[str, str], open_host: OpenHost) -> int:
    """Serve `root` until nobody needs it; 0 at once when another daemon does."""
    if root is None:
        raise no_workspace()
    idle_s = load_config(root, env).idle_minutes * 60
    try:
        target = place.socket_path(str(root), env)
        lock = hold_lock(target)
        if lock is None:
            return 0
        listener = listen(target)
    except OSError as error:
        mend = "commands work without a daemon, see `ago doctor`"
        raise AgoError("no_socket", f"no daemon can listen here: {error}", mend) from error
    keep_log(state_home(env) / root_hash(root))
    os.chdir("/")  # hold no folder of the workspace
    post = Post(root, target, lock, ago.__version__, HOME, idle_s)
    serve(post, listener, Resident(root, env, open_host))
    return 0


def no_workspace() -> AgoError:
    """The failure of whatever needs a workspace where there is none."""
    message = "there is no go.work or go.mod here or in a folder above"
    mend = "go to a Go module, name it (-C, or `root` in a tool call), or make one: `ago init NAME`"
    return AgoError("no_workspace", message, mend)


def keep_log(folder: Path) -> None:
    """Log warnings and failures of this process into `folder`, bounded."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handler = RotatingFileHandler(folder / "daemon.log", maxBytes=LOG_BYTES, backupCount=1)
    layout = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, handlers=[handler], format=layout, force=True)


class Resident:
    """The service of a daemon; its host is opened by the first request that needs it."""

    has_home = True

    def __init__(self, root: Path, env: Mapping[str, str], open_host: OpenHost) -> None:
        self._root, self._env, self._open_host = root, env, open_host
        self._configured = config_stamp(root, env)
        self._opening = threading.Lock()
        self._opened: Host | None = None
        self._calls = Calls()

    def run(self, argv: list[str], terminal: Terminal) -> int:
        """Run a command line for a client and return its exit code."""
        return self._host().run(argv, terminal)

    def call(self, tool: str, args: dict[str, Json], caller: Caller) -> dict[str, Json]:
        """The response to a tool call."""
        return self._host().answer(tool, args, caller).body

    async def talk(self, channel: Channel, pool: Executor) -> None:
        """Hold a conversation in the Model Context Protocol."""
        # The SDK takes half a second to load: only who speaks the protocol waits for it.
        from ago.fronts.mcp.server import converse

        await converse(channel, pool, self, self._calls, self._expect_calls)

    def answer(self, root: Path | None, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
        """The answer of the workspace at `root`, None being the one that is served here."""
        return self._host().answer_for(root, tool, args, caller)

    def follow(self, tell: Tell) -> None:
        """Tell `tell` what happens to the workspace from now on."""
        self._host().follow(tell)

    def unfollow(self, tell: Tell) -> None:
        """Tell `tell` nothing any more."""
        self._host().unfollow(tell)

    def warm(self, ended: Callable[[], bool]) -> None:
        """Get ready for what usually follows a first request, until `ended`."""
        self._host().warm(ended)

    def is_stale(self) -> bool:
        """Whether a configuration file has changed since this process read it."""
        return config_stamp(self._root, self._env) != self._configured

    def tend(self) -> bool:
        """Hold the memory cap; False when this process itself is over it."""
        return self._opened is None or self._opened.tend()

    def close(self) -> None:
        """Close what was opened."""
        with self._opening:
            if self._opened:
                self._opened.close()

    def _expect_calls(self) -> None:
        """A client has its list: have the host before it calls."""
        self._host()

    def _host(self) -> Host:
        with self._opening:
            if self._opened is None:
                self._opened = self._open_host(self._root, self._env)
            return self._opened
