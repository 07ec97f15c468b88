"""A real MCP client on an MCP server of this process, message by message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from ago.daemon.caller import Answer, Caller
from ago.daemon.channel import Channel, Message, Peer
from ago.fronts.mcp.calls import Calls
from ago.fronts.mcp.server import converse

Json = dict[str, Any]
ERAS = ("legacy", "auto")

# What each tool is called with on the demo module, and what its answer says.
CALLS: list[tuple[str, Json, Json]] = [
    ("status", {}, {"status": "ok", "packages": 3}),
    ("help", {"name": "add_return"}, {"status": "ok", "name": "add_return"}),
    ("query", {"kind": "search", "q": "Double"}, {"status": "ok", "count": 1}),
    ("view", {"sym": "lib.Double"}, {"status": "ok", "kind": "func"}),
    (
        "dry_run",
        {"sym": "lib.Double", "ops": [{"op": "set_body", "body": "return v + v"}]},
        {"status": "ok", "would": "accepted"},
    ),
    (
        "patch",
        {"sym": "lib.Double", "ops": [{"op": "set_body", "body": "return v + v"}]},
        {"status": "accepted"},
    ),
    ("undo", {}, {"status": "accepted"}),
    (
        "apply",
        {"path": "lib/lib.go", "text": "<<<<<<< SEARCH\nv * 2\n=======\n2 * v\n>>>>>>> REPLACE\n"},
        {"status": "accepted"},
    ),
    ("undo", {}, {"status": "accepted"}),
    ("rename", {"sym": "lib.Double", "to": "Twice"}, {"status": "accepted"}),
    ("set_body", {"sym": "lib.Twice", "body": "return v + v"}, {"status": "accepted"}),
    (
        "add_param",
        {"sym": "lib.Twice", "name": "n", "type": "int", "default": "1"},
        {"status": "accepted"},
    ),
    (
        "upsert_decl",
        {"pkg": "lib", "text": "func Half(v int) int { return v / 2 }"},
        {"status": "accepted"},
    ),
    ("test", {"pkg": "lib"}, {"status": "ok", "pass": True}),
    ("set_body", {"sym": "lib.Half", "body": "return w"}, {"status": "rejected"}),
    ("undo", {}, {"status": "accepted"}),
    ("undo", {}, {"status": "accepted"}),
    ("undo", {}, {"status": "accepted"}),
    ("undo", {}, {"status": "accepted"}),
]


class OneDesk:
    """Answers for one workspace."""

    has_home = True

    def __init__(self, answer: Callable[[str, Json, Caller], Json]) -> None:
        self._answer, self.calls = answer, Calls()

    def answer(self, root: Path | None, tool: str, args: Json, caller: Caller) -> Answer:
        """Whatever root is named."""
        return Answer(self._answer(tool, args, caller), 0)


@asynccontextmanager
async def talking(desk: Any, mode: str = "legacy", **options: Any) -> AsyncIterator[Client]:
    """A client that has shaken hands with the server of `desk`."""
    async with Client(_transport(desk), mode=mode, **options) as client:
        yield client


def _transport(desk: Any) -> AbstractAsyncContextManager[Any]:
    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage](0)

        def send(text: bytes) -> None:
            to_client.send_nowait(SessionMessage(jsonrpc_message_adapter.validate_json(text)))

        async def pass_on() -> None:
            async for item in from_client:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                inbox.put_nowait(Message(text.encode()))
            inbox.put_nowait(None)

        channel = Channel(Peer("/", {}, "test"), inbox.get, send)
        with ThreadPoolExecutor(4) as pool:
            async with anyio.create_task_group() as tasks, from_client, to_client:
                tasks.start_soon(converse, channel, pool, desk, desk.calls)
                tasks.start_soon(pass_on)
                async with to_server, from_server:
                    yield from_server, to_server
                tasks.cancel_scope.cancel()

    return transport()
