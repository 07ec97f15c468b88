"""A conversation with one client: whole messages both ways, for as long as either side has more.

Invariant: a channel ends between calls. One that has to move on answers what it has begun, reads
nothing more, and leaves the rest to the client, which sends it to the next daemon.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple


class Message(NamedTuple):
    """What a client said; `again` when it was sent to a daemon before, which did not answer."""

    text: bytes
    again: bool = False


@dataclass(frozen=True)
class Peer:
    """Who is at the other end."""

    cwd: str
    env: Mapping[str, str]
    name: str
    """Different for each process that asks."""


class Channel:
    """One client's messages. Of the event loop's thread alone."""

    def __init__(
        self,
        peer: Peer,
        take: Callable[[], Awaitable[Message | None]],
        send: Callable[[bytes], None],
        is_stale: Callable[[], bool] = lambda: False,
        worked: Callable[[], None] = lambda: None,
    ) -> None:
        """`take` waits for the next message, None at the end.

        `is_stale` says before a message that this process is no longer the one to serve it;
        `worked` hears of each call that was answered.
        """
        self.peer, self.send, self.worked = peer, send, worked
        self.moved_on = False
        self._take, self._is_stale = take, is_stale
        self._retired = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._begun: dict[Hashable, Event | None] = {}

    @property
    def is_quiet(self) -> bool:
        """Whether nothing that was begun still runs."""
        return self._quiet.is_set()

    def begin(self, what: Hashable, gone: Event | None = None) -> None:
        """Something runs that the channel has to outlive; `gone` is set when it should end."""
        self._begun[what] = gone
        self._quiet.clear()

    def end(self, what: Hashable) -> None:
        """It runs no more."""
        self._begun.pop(what, None)
        if not self._begun:
            self._quiet.set()

    def retire(self) -> None:
        """Move on as soon as nothing runs."""
        self._retired.set()

    def interrupt(self) -> None:
        """Ask what runs to end now."""
        for gone in self._begun.values():
            if gone:
                gone.set()

    async def receive(self) -> Message | None:
        """The next message, None when there is none any more or another process is to have it."""
        taking = asyncio.ensure_future(self._take())
        retiring = asyncio.ensure_future(self._retired.wait())
        try:
            await asyncio.wait({taking, retiring}, return_when=asyncio.FIRST_COMPLETED)
            if taking.done() and not self._retired.is_set():
                message = taking.result()
                if message is None or not (self.is_quiet and self._is_stale()):
                    return message
        finally:
            taking.cancel()
            retiring.cancel()
        await self._quiet.wait()
        self.moved_on = True
        return None
