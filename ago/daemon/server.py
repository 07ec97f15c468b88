"""The daemon's process: accept clients, run each request on a thread, end when nobody comes.

Invariant: a request that was not begun is never lost: its client tries again with the next daemon.
Giving up the socket's name always comes before saying so.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import signal
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Protocol

from ago import wire
from ago.daemon.caller import Caller
from ago.daemon.channel import Channel, Message, Peer
from ago.daemon.client import scan
from ago.daemon.clients import Frame, open_caller, open_terminal, read_frame, take_input
from ago.daemon.feed import Followed, following
from ago.daemon.identity import code_stamp, is_same_user, parse_version
from ago.daemon.spawn import release_lock
from ago.daemon.terminal import Terminal
from ago.protocol.errors import EXIT_INTERNAL
from grammar_ops.reject import Json

log = logging.getLogger(__name__)

THREADS = 32
"""Requests at one time; a test run holds a thread as long as it takes."""

TICK_S = 5.0
STAMP_S = 1.0
"""How old the knowledge of our own code on the disk may be."""


class Service(Followed, Protocol):
    """What a daemon serves; handed in by the composition root."""

    def run(self, argv: list[str], terminal: Terminal) -> int:
        """Run a command line for a client and return its exit code."""

    def call(self, tool: str, args: dict[str, Json], caller: Caller) -> dict[str, Json]:
        """Call a tool and return its response; an edit is made once for a key."""

    async def talk(self, channel: Channel, pool: Executor) -> None:
        """Hold a conversation until its channel ends; what it runs, it runs in `pool`."""

    def warm(self, ended: Callable[[], bool]) -> None:
        """Called once, after the first request: get ready for what usually follows.

        `ended` says that nothing will follow any more.
        """

    def is_stale(self) -> bool:
        """Whether what it was opened with (the configuration) has changed."""

    def tend(self) -> bool:
        """Called while nothing runs; False when the process should end (memory)."""

    def close(self) -> None:
        """Let go of everything, child processes included."""


@dataclass(frozen=True)
class Post:
    """Where a daemon stands: root, socket and lock, identity, and how long it waits for work."""

    root: Path
    target: str
    lock: int
    version: str
    home: str
    idle_s: float


def serve(post: Post, listener: socket.socket, service: Service) -> None:
    """Serve until idle, stopped, replaced, or the root is gone; then leave nothing behind."""
    try:
        asyncio.run(_Daemon(post, listener, service).run())
    finally:
        service.close()
        release_lock(post.lock, post.target)


class _Daemon:
    def __init__(self, post: Post, listener: socket.socket, service: Service) -> None:
        self._post, self._listener, self._service = post, listener, service
        self._inode = Path(post.target).stat().st_ino
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        self._open: set[asyncio.Task[None]] = set()
        self._listening: set[asyncio.Task[None]] = set()
        """Open connections whose client has asked nothing at the moment."""
        self._following: set[asyncio.Task[None]] = set()
        """Open connections that will ask nothing: they are told what happens."""
        self._running: set[Event] = set()
        self._channels: dict[asyncio.Task[None], Channel] = {}
        self._ending = asyncio.Event()
        self._warmed = False
        self._used = self._stamped = 0.0
        self._stamp = code_stamp(post.home)

    async def run(self) -> None:
        """Accept until something ends the daemon, then let running requests finish."""
        loop = asyncio.get_running_loop()
        self._used = loop.time()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._stop)
        self._server = await asyncio.start_unix_server(self._connected, sock=self._listener)
        ticker = asyncio.create_task(self._tick())
        await self._ending.wait()
        self._leave()
        ticker.cancel()
        if self._open:
            await asyncio.wait(self._open)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _leave(self) -> None:
        """Give up the socket's name, so that the next client starts a new daemon."""
        self._ending.set()
        self._server.close()
        for task in self._listening:
            task.cancel()
        for channel in self._channels.values():
            channel.retire()
        if self._owns_socket():
            Path(self._post.target).unlink()

    def _stop(self) -> None:
        for gone in self._running:
            gone.set()
        for channel in self._channels.values():
            channel.interrupt()
        self._leave()

    def _owns_socket(self) -> bool:
        try:
            return Path(self._post.target).stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    async def _tick(self) -> None:
        """End when idle, when the root or the socket is gone, or when memory is short."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(TICK_S, self._post.idle_s / 4))
            if self._is_busy():
                continue
            # Who follows would only start the next daemon: memory alone is a reason to leave it.
            idle = not self._following and loop.time() - self._used > self._post.idle_s
            lost = not self._post.root.is_dir() or not self._owns_socket()
            if idle or lost or not await loop.run_in_executor(self._pool, self._service.tend):
                self._ending.set()

    def _is_busy(self) -> bool:
        """Whether a client waits for something; one that only might say something does not."""
        quiet = {task for task, channel in self._channels.items() if channel.is_quiet}
        return bool(self._open - quiet - self._following)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            if is_same_user(writer.get_extra_info("socket")):
                await self._converse(reader, writer)
                await writer.drain()
        except (wire.WireError, asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is gone, or is none of ours
        except asyncio.CancelledError:
            if not self._ending.is_set():
                raise
        finally:
            writer.close()
            self._open.discard(task)
            self._used = asyncio.get_running_loop().time()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        coming = asyncio.ensure_future(read_frame(reader))
        while True:
            kind, payload = await self._next_frame(coming)
            if kind == wire.STOP:
                self._stop()
                writer.write(wire.pack_frame(wire.ANSWER, wire.dump_json({"status": "stopping"})))
                return
            if kind == wire.RUN:
                await self._run(wire.Run.parse(payload), reader, writer)
                return
            if kind == wire.TALK:
                await self._talk(wire.Run.parse(payload), reader, writer)
                return
            if kind == wire.FOLLOW:
                await self._follow(reader, writer)
                return
            if kind != wire.CALL or self._ending.is_set():
                return
            coming = asyncio.ensure_future(read_frame(reader))
            await self._call(payload, coming, writer)

    async def _next_frame(self, coming: Awaitable[Frame]) -> Frame:
        """What the client asks next; ends with the daemon, for nothing is lost by that."""
        task = asyncio.current_task()
        assert task is not None
        self._listening.add(task)
        try:
            return await coming
        finally:
            self._listening.discard(task)

    async def _call(
        self, payload: bytes, coming: asyncio.Future[Frame], writer: asyncio.StreamWriter
    ) -> None:
        request = wire.load_json(payload)
        caller = open_caller(request, coming, writer)
        self._running.add(caller.gone)
        try:
            body = await asyncio.get_running_loop().run_in_executor(
                self._pool, self._service.call, request["tool"], request.get("args", {}), caller
            )
        finally:
            self._running.discard(caller.gone)
        writer.write(wire.pack_frame(wire.ANSWER, wire.dump_json(body)))

    async def _talk(
        self, request: wire.Run, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Hold a conversation; at its end tell the client whether it goes on elsewhere."""
        if not self._admits(request, writer):
            return
        task = asyncio.current_task()
        assert task is not None

        async def take() -> Message | None:
            with suppress(wire.WireError, asyncio.IncompleteReadError, ConnectionError):
                kind, payload = await read_frame(reader)
                self._used = asyncio.get_running_loop().time()
                return Message(payload, again=kind == wire.AGAIN)
            return None

        def send(text: bytes) -> None:
            self._used = asyncio.get_running_loop().time()
            writer.write(wire.pack_frame(wire.MESSAGE, text))

        name, *argv = request.argv
        peer = Peer(str(Path(request.cwd, scan(argv)[0])), request.env, name)
        channel = Channel(peer, take, send, self._gives_way, self._get_warm)
        self._channels[task] = channel
        try:
            await self._service.talk(channel, self._pool)
        finally:
            channel.interrupt()
            del self._channels[task]
        if channel.moved_on:
            writer.write(wire.pack_frame(wire.REPLACED))

    def _gives_way(self) -> bool:
        """Whether a newer daemon is to serve what comes now; if so this one leaves."""
        if self._has_moved():
            self._leave()
        return self._ending.is_set()

    async def _follow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._following.add(task)
        try:
            async with following(self._service, self._pool, writer):
                await self._next_frame(read_frame(reader))
        finally:
            self._following.discard(task)

    async def _run(
        self, request: wire.Run, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if not self._admits(request, writer):
            return
        loop = asyncio.get_running_loop()
        inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        terminal = open_terminal(request, writer, loop, inbox)
        self._running.add(terminal.gone)
        listening = asyncio.create_task(take_input(reader, terminal.gone, inbox))
        try:
            code = await loop.run_in_executor(self._pool, self._service.run, request.argv, terminal)
        except Exception:
            log.exception("a command line failed")
            code = EXIT_INTERNAL
            writer.write(wire.pack_frame(wire.STDERR, b"ago: internal failure, see the log\n"))
        finally:
            self._running.discard(terminal.gone)
            listening.cancel()
        writer.write(wire.pack_frame(wire.EXIT, bytes([code])))
        self._get_warm()

    def _get_warm(self) -> None:
        if not self._warmed:
            self._warmed = True
            loop = asyncio.get_running_loop()
            loop.run_in_executor(self._pool, self._service.warm, self._ending.is_set)

    def _admits(self, request: wire.Run, writer: asyncio.StreamWriter) -> bool:
        """Tell a client whether it is served here."""
        refusal = self._refusal(request)
        if refusal == wire.REPLACED:
            self._leave()
        if refusal or self._ending.is_set():
            writer.write(wire.pack_frame(refusal or wire.REPLACED))
            return False
        writer.write(wire.pack_frame(wire.BEGUN))
        return True

    def _refusal(self, request: wire.Run) -> bytes:
        """Why not to serve this client: it is newer, other or too old code, b"" when it is ours."""
        if request.protocol < wire.PROTOCOL:
            return wire.RUN_HERE
        newer = parse_version(request.version) > parse_version(self._post.version)
        other = request.version == self._post.version and request.home != self._post.home
        if request.protocol > wire.PROTOCOL or newer or other or self._has_moved():
            return wire.REPLACED
        return b""

    def _has_moved(self) -> bool:
        """Whether configuration or code on the disk is no longer what runs here."""
        if self._service.is_stale():
            return True
        now = asyncio.get_running_loop().time()
        if now - self._stamped < STAMP_S:
            return False
        self._stamped = now
        try:
            return code_stamp(self._post.home) != self._stamp
        except OSError:  # a file went away under the walk
            return True
