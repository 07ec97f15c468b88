"""The MCP server: the SDK's low-level server on a channel, its tools answered by the dispatcher.

Invariant: no protocol of our own; the handshake and the tool list need no workspace; a refusal is
an ordinary result.
"""

from __future__ import annotations

import logging
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError

import ago
from ago import wire
from ago.daemon import place
from ago.daemon.channel import Channel
from ago.daemon.dispatch import Answer, Caller
from ago.fronts.mcp.calls import Calls
from ago.fronts.mcp.names import listed_calls, resolve_call
from ago.fronts.mcp.tools import tool_list
from ago.protocol.errors import AgoError
from ago.protocol.responses import failed, rejected
from grammar_ops.reject import Json, Reject

log = logging.getLogger(__name__)

LIST_FRESH_MS = 86_400_000
"""The list changes with the version of ago alone."""

INSTRUCTIONS = (
    "Typed questions about a Go workspace, and edits that are compiled and proved before they are "
    "written. Refusals are data: reason, places, and possible_repairs, which are calls that work "
    "as they stand."
)

Context = ServerRequestContext[Any, Any]


class Desk(Protocol):
    """What answers calls; handed in by the composition root."""

    def answer(self, root: Path | None, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
        """The answer of the workspace at `root`, None being the one that is served here."""

    @property
    def has_home(self) -> bool:
        """Whether there is a workspace where the client stands."""


async def converse(channel: Channel, pool: Executor, desk: Desk, calls: Calls) -> None:
    """Serve one client until its channel ends."""
    server = _Conversation(channel, pool, desk, calls).server()
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_take_in, channel, to_server)
        tasks.start_soon(_give_out, channel, from_server)
        options = server.create_initialization_options()
        await server.run(from_client, to_client, options)


async def _take_in(
    channel: Channel, to_server: ObjectSendStream[SessionMessage | Exception]
) -> None:
    """Hand on what the client says; what is no message is refused, or passed over."""
    async with to_server:
        while message := await channel.receive():
            try:
                said = types.jsonrpc_message_adapter.validate_json(message.text, by_name=False)
            except ValidationError:
                _refuse(channel, message.text)
                continue
            if isinstance(said, types.JSONRPCRequest):
                channel.begin(_key(said.id))
            elif isinstance(said, types.JSONRPCNotification) and said.method.endswith("/cancelled"):
                channel.end(_key((said.params or {}).get("requestId")))
            metadata = ServerMessageMetadata(request_context=message.again)
            await to_server.send(SessionMessage(said, metadata))


def _refuse(channel: Channel, text: bytes) -> None:
    """Answer a request that is none, where it says who waits for an answer."""
    try:
        raw = wire.load_json(text)
    except ValueError:
        raw = None
    number = raw.get("id") if isinstance(raw, dict) else None
    if not isinstance(number, int | str) or "method" not in raw:
        log.warning("a line that is no JSON-RPC message")
        return
    error = types.ErrorData(code=types.INVALID_REQUEST, message="not a JSON-RPC request")
    refusal = types.JSONRPCError(jsonrpc="2.0", id=number, error=error)
    channel.send(refusal.model_dump_json(by_alias=True, exclude_unset=True).encode())


async def _give_out(channel: Channel, from_server: ObjectReceiveStream[SessionMessage]) -> None:
    """Send what the server says, and note which request it answers."""
    async with from_server:
        async for item in from_server:
            said = item.message
            channel.send(said.model_dump_json(by_alias=True, exclude_unset=True).encode())
            if isinstance(said, types.JSONRPCResponse | types.JSONRPCError):
                channel.end(_key(said.id))


def _key(request_id: object) -> tuple[str, str]:
    """A request in the channel's books."""
    return ("request", str(request_id))


class _Conversation:
    """One client's calls."""

    def __init__(self, channel: Channel, pool: Executor, desk: Desk, calls: Calls) -> None:
        self._channel, self._pool, self._desk, self._calls = channel, pool, desk, calls
        self._root: Path | None = None
        """The workspace of the client's roots, where its own folder is in none."""

    def server(self) -> Server[Any]:
        """The SDK's server with our two handlers."""
        fresh = CacheHint(ttl_ms=LIST_FRESH_MS, scope="public")
        return Server(
            "ago",
            version=ago.__version__,
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": fresh, "server/discover": fresh},
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": list(tool_list())})

    async def _call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            body = await self._answer(ctx, params.name, dict(params.arguments or {}))
        except Reject as reject:
            body = rejected(reject).wire()
        except AgoError as error:
            body = failed(error).wire()
        self._channel.worked()
        shown = listed_calls(body)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=wire.dump_json(shown).decode())],
            structured_content=shown,
            is_error=body["status"] == "failed",
        )

    async def _answer(self, ctx: Context, name: str, args: dict[str, Json]) -> dict[str, Json]:
        tell = partial(_tell, ctx)
        folder = _text_of(args, "root")
        if name == "status" and (handle := _text_of(args, "pending")):
            return (await self._calls.resume(handle, tell)).body
        meant = resolve_call(name, args)
        root = await self._root_for(ctx, folder)
        key = f"{self._channel.peer.name}:{ctx.request_id}"
        again, env = bool(ctx.request), self._channel.peer.env

        def work(gone: Event) -> Answer:
            caller = Caller(env, gone, key, again)
            return self._desk.answer(root, meant.tool, meant.args, caller)

        answer = await self._calls.run(self._channel, self._pool, meant.tool, work, tell)
        said: dict[str, Json] = {"aliased_from": meant.aliased_from} if meant.aliased_from else {}
        return answer.body | said

    async def _root_for(self, ctx: Context, folder: str) -> Path | None:
        """The workspace that a call is for; None is the one that is served here."""
        if folder:
            where = Path(self._channel.peer.cwd, folder)
            root = self._find_root(where)
            if root is None:
                message = f"there is no go.work or go.mod in {where} or above"
                raise AgoError("no_workspace", message, "name a folder of a Go module as `root`")
            return root
        if self._desk.has_home or self._root:
            return self._root
        found = {root for folder in await _client_roots(ctx) if (root := self._find_root(folder))}
        if len(found) > 1:
            listing = ", ".join(sorted(map(str, found)))
            message = f"the client has several workspaces: {listing}"
            raise AgoError("no_workspace", message, "name one of them as `root`")
        self._root = found.pop() if found else None
        return self._root

    def _find_root(self, folder: Path) -> Path | None:
        """The root of the workspace that a folder is in, None outside of any."""
        found = place.find_root(str(folder), self._channel.peer.env.get("GOWORK", ""))
        return Path(found) if found else None


def _text_of(args: dict[str, Json], name: str) -> str:
    """Take a text argument of the front's own out of a call's arguments."""
    value = args.pop(name, "")
    if not isinstance(value, str) or "\0" in value:
        raise Reject("unknown_argument", f"{name}: a string is wanted", facts={"argument": name})
    return value


async def _tell(ctx: Context, seconds: float, what: str) -> None:
    await ctx.session.report_progress(seconds, None, what)


async def _client_roots(ctx: Context) -> list[Path]:
    """The folders that the client works in, where it has such and says so."""
    capabilities = ctx.session.client_capabilities
    if not (capabilities and capabilities.roots and ctx.session.can_send_request):
        return []
    try:
        answer = await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult, 10)
    except (MCPError, ValidationError) as error:
        log.info("the client did not name its roots: %s", error)
        return []
    uris = [urlsplit(str(root.uri)) for root in answer.roots]
    return [Path(unquote(uri.path)) for uri in uris if uri.scheme == "file"]
