"""The MCP server: the SDK's low-level server on a channel, its tools answered by the dispatcher.

Invariant: no protocol of our own; the handshake and the tool list need no workspace and no
catalog; a refusal is an ordinary result.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
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
from ago.daemon.caller import Answer, Caller
from ago.daemon.channel import Channel
from ago.fronts.mcp.calls import Calls, Running
from ago.protocol import reasons  # noqa: F401 - registers what is raised here
from ago.protocol.errors import EXIT_OK, AgoError
from grammar_ops.reject import Json, Reject

log = logging.getLogger(__name__)

TOOLS = Path(ago.__file__).with_name("catalog") / "tools.json"
"""The list as ago.catalog.listing makes it of the catalog, which takes long to load."""

LIST_FRESH_MS = 86_400_000
"""The list changes with the version of ago alone."""

AFTER_LIST_S = 0.1
"""What calls need is loaded once the list is on its way."""

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


async def converse(
    channel: Channel,
    pool: Executor,
    desk: Desk,
    calls: Calls,
    has_listed: Callable[[], None] = lambda: None,
) -> None:
    """Serve one client until its channel ends; `has_listed` hears, in `pool`, of each list."""
    server = _Conversation(channel, pool, desk, calls, has_listed).server()
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
        raw = json.loads(text)  # more lenient than what has refused it, on half characters say
    except (ValueError, RecursionError):
        raw = None
    number = raw.get("id") if isinstance(raw, dict) else None
    if not isinstance(number, int | str) or "method" not in raw:
        log.warning("a line that is no JSON-RPC message")
        return
    error = types.ErrorData(
        code=types.INVALID_REQUEST, message="no JSON-RPC request of Unicode text"
    )
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

    def __init__(
        self,
        channel: Channel,
        pool: Executor,
        desk: Desk,
        calls: Calls,
        has_listed: Callable[[], None],
    ) -> None:
        self._channel, self._pool, self._desk, self._calls = channel, pool, desk, calls
        self._has_listed = has_listed
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
        asyncio.get_running_loop().call_later(AFTER_LIST_S, self._tell_of_list)
        return types.ListToolsResult.model_validate({"tools": shipped_list()})

    def _tell_of_list(self) -> None:
        with suppress(RuntimeError):  # a daemon that ends takes no more work
            self._pool.submit(self._has_listed)

    async def _call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            shown = await self._answer(ctx, params.name, dict(params.arguments or {}))
        except (Reject, AgoError) as error:
            loop = asyncio.get_running_loop()
            shown = await loop.run_in_executor(self._pool, _refuse_call, error)
        self._channel.worked()
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=wire.dump_json(shown).decode())],
            structured_content=shown,
            is_error=shown["status"] == "failed",
        )

    async def _answer(self, ctx: Context, name: str, args: dict[str, Json]) -> dict[str, Json]:
        tell = partial(_tell, ctx)
        folder = _text_of(args, "root")
        if name == "status" and (handle := _text_of(args, "pending")):
            return (await self._calls.resume(handle, tell)).body
        root = await self._root_for(ctx, folder)
        key = f"{self._channel.peer.name}:{ctx.request_id}"
        again, env = bool(ctx.request), self._channel.peer.env

        def work(running: Running) -> Answer:
            caller = Caller(env, running.gone, key, again, running.hear)
            return _answer_call(partial(self._desk.answer, root), name, args, caller)

        return (await self._calls.run(self._channel, self._pool, name, work, tell)).body

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
        # A module may have been made where the client stands since it came.
        self._root = found.pop() if found else self._find_root(Path(self._channel.peer.cwd))
        return self._root

    def _find_root(self, folder: Path) -> Path | None:
        """The root of the workspace that a folder is in, None outside of any."""
        found = place.find_root(str(folder), self._channel.peer.env.get("GOWORK", ""))
        return Path(found) if found else None


@cache
def shipped_list() -> list[dict[str, Any]]:
    """The list of tools that this version of ago was built with."""
    listing: list[dict[str, Any]] = json.loads(TOOLS.read_bytes())
    return listing


def _answer_call(
    answer: Callable[[str, dict[str, Json], Caller], Answer],
    name: str,
    args: dict[str, Json],
    caller: Caller,
) -> Answer:
    """What a client's call is answered with; on a thread of the pool, for it loads the catalog."""
    from ago.fronts.mcp.names import listed_calls, resolve_call

    try:
        meant = resolve_call(name, args)
        found = answer(meant.tool, meant.args, caller)
    except (Reject, AgoError) as error:
        return Answer(_refuse_call(error), EXIT_OK)
    said: dict[str, Json] = {"aliased_from": meant.aliased_from} if meant.aliased_from else {}
    return Answer(listed_calls(found.body | said), found.exit_code)


def _refuse_call(error: Reject | AgoError) -> dict[str, Json]:
    """A refusal or a failure as an answer, its calls those that a client can make."""
    from ago.fronts.mcp.names import listed_calls
    from ago.protocol.responses import failed, rejected

    response = rejected(error) if isinstance(error, Reject) else failed(error)
    return listed_calls(response.wire())


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
