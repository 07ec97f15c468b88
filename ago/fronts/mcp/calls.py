"""Calls while they run: progress for who waits, a handle for who can't, ends for who left.

Invariant: the event loop is never held up; an answer is kept until it was asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from threading import Event

from ago.daemon.caller import Answer
from ago.daemon.channel import Channel
from ago.protocol.errors import EXIT_OK
from grammar_ops.reject import Call, Json, Reject, Repair, register

register("mcp", {"pending_unknown": "no call is running, or was answered late, under that handle"})

PENDING_S = 20.0
"""How long a call is waited for: hosts give up between 30 and 60 seconds."""

FIRST_WORD_S = 1.0
NEXT_WORD_S = 5.0
"""When to tell of a call that takes long, and how often when nothing moves."""

KEPT = 64
"""Calls that were not waited for, with their answers."""

Tell = Callable[[float, str], Awaitable[None]]
"""Progress for the client: seconds, and what is going on."""


@dataclass(eq=False)
class Running:
    """A call that was started."""

    tool: str
    answer: asyncio.Future[Answer] = field(init=False)
    gone: Event = field(default_factory=Event)
    since: float = field(default_factory=time.monotonic)
    phase: str = ""
    handle: str = ""

    def hear(self, phase: str, done: int, total: int) -> None:
        """Take note of how far the work is; from any thread."""
        self.phase = f"{phase} {done}/{total}" if total else phase

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.since


class Calls:
    """The calls of one process, of all its conversations. Of the event loop's thread alone."""

    def __init__(self) -> None:
        self._late: OrderedDict[str, Running] = OrderedDict()
        self._handles = 0

    async def run(
        self,
        channel: Channel,
        pool: Executor,
        tool: str,
        work: Callable[[Running], Answer],
        tell: Tell,
    ) -> Answer:
        """What `work` answers, or the handle that its answer can be had with."""
        running = Running(tool)
        channel.begin(running, running.gone)
        running.answer = asyncio.get_running_loop().run_in_executor(pool, work, running)
        running.answer.add_done_callback(lambda _: channel.end(running))
        try:
            return await self._wait(running, tell)
        except asyncio.CancelledError:
            running.gone.set()
            raise

    async def resume(self, handle: str, tell: Tell) -> Answer:
        """The answer of a call that was not waited for; Reject pending_unknown."""
        running = self._late.get(handle)
        if running is None:
            repair = Repair("shows the edits that were made", Call("log", {}), checked=False)
            raise Reject("pending_unknown", handle, repairs=(repair,))
        return await self._wait(running, tell)

    async def _wait(self, running: Running, tell: Tell) -> Answer:
        """Wait as long as a host does, telling it that something goes on."""
        until = time.monotonic() + PENDING_S
        wait_s = FIRST_WORD_S
        said = ""
        while (left := until - time.monotonic()) > 0:
            await asyncio.wait({running.answer}, timeout=min(wait_s, left))
            if running.answer.done():
                return running.answer.result()
            wait_s = FIRST_WORD_S if running.phase != said else NEXT_WORD_S
            said = running.phase
            await tell(running.seconds, running.phase or f"{running.tool} is running")
        return self._postpone(running)

    def _postpone(self, running: Running) -> Answer:
        """A handle in the place of the answer."""
        if not running.handle:
            self._handles += 1
            running.handle = f"p{self._handles}"
            self._late[running.handle] = running
            if len(self._late) > KEPT:
                self._late.popitem(last=False)
        body: dict[str, Json] = {
            "status": "pending",
            "pending": running.handle,
            "tool": running.tool,
            "seconds": round(running.seconds),
            "call": {"tool": "status", "args": {"pending": running.handle}},
        }
        return Answer(body | ({"phase": running.phase} if running.phase else {}), EXIT_OK)
