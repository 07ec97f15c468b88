"""The feed: what happened to a workspace, told to whoever follows it.

Invariant: telling never fails and never blocks the work.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from ago import wire
from grammar_ops.reject import Json

if TYPE_CHECKING:
    from ago.workspace.committed import Committed

log = logging.getLogger(__name__)

Tell = Callable[[dict[str, Json]], None]
"""Takes {"edit": number, "files": […], "renames": […], "moves": […]} for an accepted edit, rows as
a receipt has them, where there are any; {"files": […]} for what was changed by others on the disk.
"""

UNREAD_BYTES = 1 << 20
"""What may wait for a follower that does not read."""


class Followed(Protocol):
    """What can be followed."""

    def follow(self, tell: Tell) -> None:
        """Tell `tell`, from any thread, what happens to the workspace."""

    def unfollow(self, tell: Tell) -> None:
        """Tell `tell` nothing any more."""


class Feed:
    """The followers of one workspace; called with what happened."""

    def __init__(self) -> None:
        self._followers: list[Tell] = []
        self._lock = threading.Lock()

    def __call__(self, files: Sequence[str], by: Committed | None = None) -> None:
        """These files are other than they were, by an accepted edit or from outside."""
        event: dict[str, Json] = {"files": list(files)}
        if by:
            event["edit"] = by.edit
            told = {"renames": by.renames, "moves": by.moves}
            event |= {name: [list(row) for row in rows] for name, rows in told.items() if rows}
        with self._lock:
            followers = list(self._followers)
        for tell in followers:
            try:
                tell(event)
            except Exception:
                log.exception("a follower could not be told")

    def add(self, tell: Tell) -> None:
        """Tell `tell` of everything from now on."""
        with self._lock:
            self._followers.append(tell)

    def remove(self, tell: Tell) -> bool:
        """Tell `tell` of nothing any more; whether others are left."""
        with self._lock:
            self._followers.remove(tell)
            return bool(self._followers)


@asynccontextmanager
async def following(
    service: Followed, pool: Executor, writer: asyncio.StreamWriter
) -> AsyncIterator[None]:
    """Send a client what happens, as long as the block runs."""
    loop = asyncio.get_running_loop()

    def send(event: dict[str, Json]) -> None:
        if writer.transport.get_write_buffer_size() > UNREAD_BYTES:
            writer.transport.abort()  # once it reads again it looks at everything
        writer.write(wire.pack_frame(wire.EVENT, wire.dump_json(event)))

    def tell(event: dict[str, Json]) -> None:
        loop.call_soon_threadsafe(send, event)

    await loop.run_in_executor(pool, service.follow, tell)
    writer.write(wire.pack_frame(wire.BEGUN))
    try:
        yield
    finally:
        await asyncio.shield(loop.run_in_executor(pool, service.unfollow, tell))
