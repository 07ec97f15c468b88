"""The MCP server in a process of its own: on stdio, where no daemon can be had or none is meant.

Invariant: stdout carries messages and nothing else.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor

from ago.daemon.channel import Channel, Message, Peer
from ago.daemon.relay import DRAIN_S, is_broken, read_lines, write_line

THREADS = 32

Talk = Callable[[Channel, Executor], Awaitable[None]]


def serve_stdio(talk: Talk, cwd: str, env: Mapping[str, str]) -> int:
    """Hold a conversation over this process's stdio until the client ends it."""
    asyncio.run(_serve(talk, Peer(cwd, env, f"local-{os.getpid()}")))
    return 0


async def _serve(talk: Talk, peer: Peer) -> None:
    lines = read_lines()
    with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(THREADS) as pool:
        loop = asyncio.get_running_loop()

        async def take() -> Message | None:
            line = await loop.run_in_executor(reader, next, lines, None)
            if line is not None:
                return Message(line)
            # The client has no more to say, and may still listen.
            while not channel.is_quiet and not is_broken(1):
                await asyncio.sleep(DRAIN_S)
            return None

        channel = Channel(peer, take, write_line)
        await talk(channel, pool)
        channel.interrupt()
