"""Clients as their daemon sees them: frames, the terminal of a command line, the caller of a tool.

Invariant: what is told to a client from a request's thread goes through the event loop.
"""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import Event

from ago import wire
from ago.daemon.caller import Caller
from ago.daemon.terminal import Terminal
from grammar_ops.reject import Json

Frame = tuple[bytes, bytes]


async def read_frame(reader: asyncio.StreamReader) -> Frame:
    """The next frame; raises IncompleteReadError at the end, WireError."""
    kind, size = wire.parse_head(await reader.readexactly(wire.HEAD))
    return kind, await reader.readexactly(size)


def open_caller(
    request: dict[str, Json], coming: asyncio.Future[Frame], writer: asyncio.StreamWriter
) -> Caller:
    """Who called a tool: gone as soon as nothing can be coming from it any more."""
    loop = asyncio.get_running_loop()

    def hear(phase: str, done: int, total: int) -> None:
        step = wire.dump_json({"phase": phase, "done": done, "total": total})
        loop.call_soon_threadsafe(writer.write, wire.pack_frame(wire.EVENT, step))

    def notice(ended: asyncio.Future[Frame]) -> None:
        if not ended.cancelled() and ended.exception():
            caller.gone.set()

    key = str(request.get("key", ""))
    caller = Caller(key=key, again=bool(key))
    coming.add_done_callback(notice)
    return replace(caller, hear=hear) if request.get("progress") else caller


def open_terminal(
    request: wire.Run,
    writer: asyncio.StreamWriter,
    loop: asyncio.AbstractEventLoop,
    inbox: queue.SimpleQueue[bytes],
) -> Terminal:
    """The client's terminal, usable from a request's thread."""

    def sender(kind: bytes) -> Callable[[bytes], None]:
        return lambda data: post(kind, data)

    def post(kind: bytes, data: bytes) -> None:
        loop.call_soon_threadsafe(writer.write, wire.pack_frame(kind, data))

    def read_stdin() -> bytes:
        post(wire.WANT_STDIN, b"")
        return inbox.get()

    return Terminal(
        cwd=request.cwd,
        env=request.env,
        out=sender(wire.STDOUT),
        err=sender(wire.STDERR),
        read_stdin=read_stdin,
        columns=request.columns,
        tty=request.tty,
    )


async def take_input(
    reader: asyncio.StreamReader, gone: Event, inbox: queue.SimpleQueue[bytes]
) -> None:
    """Take what the client still sends; its end is the request's `gone`."""
    with suppress(wire.WireError, asyncio.IncompleteReadError, ConnectionError):
        while True:
            kind, payload = await read_frame(reader)
            if kind == wire.STDIN:
                inbox.put(payload)
    gone.set()
    inbox.put(b"")
