"""The MCP server on a real client of the SDK, in one process: calls, long calls, ends of calls."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_peer import ERAS, Json, OneDesk, talking

from ago.catalog.listing import listed
from ago.daemon.caller import Answer, Caller
from ago.daemon.channel import Channel, Message, Peer
from ago.fronts.mcp import calls


def run(
    desk: Any, use: Callable[[Client], Awaitable[None]], mode: str = "legacy", **more: Any
) -> None:
    """Let a client talk to a desk."""

    async def main() -> None:
        async with talking(desk, mode, **more) as client:
            await use(client)

    asyncio.run(asyncio.wait_for(main(), 60))


def echoing() -> OneDesk:
    """A desk that answers each call with the call."""
    return OneDesk(lambda tool, args, _: {"status": "ok", "call": {"tool": tool, "args": args}})


class Slow:
    """A desk whose calls run until they are let go."""

    has_home = True

    def __init__(self) -> None:
        self.calls = calls.Calls()
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.callers: list[Caller] = []

    def answer(self, _root: Path | None, tool: str, _args: Json, caller: Caller) -> Answer:
        self.callers.append(caller)
        self.begun.set()
        caller.hear("load", 1, 2)
        while not self.go_on.wait(0.01) and not caller.gone.is_set():
            pass
        return Answer({"status": "ok", "tool": tool}, 0)


@pytest.mark.parametrize("mode", ERAS)
def test_both_eras_list_the_tools_and_call_them(mode: str) -> None:
    async def use(client: Client) -> None:
        assert client.server_info.name == "ago"
        found = await client.list_tools()
        assert tuple(tool.name for tool in found.tools) == listed()
        result = await client.call_tool("view", {"sym": "lib.F"})
        assert result.structured_content["call"] == {"tool": "view", "args": {"sym": "lib.F"}}
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]

    run(echoing(), use, mode)


def test_names_of_other_worlds_lead_on() -> None:
    async def use(client: Client) -> None:
        async def call(name: str, args: Json) -> Json:
            result = await client.call_tool(name, args)
            assert not result.is_error
            return result.structured_content  # type: ignore[no-any-return]

        refs = await call("find_references", {"sym": "F"})
        assert refs["aliased_from"] == "find_references"
        assert refs["call"] == {"tool": "query", "args": {"kind": "refs", "sym": "F"}}
        assert (await call("ago_view", {"sym": "F"}))["call"]["tool"] == "view"
        assert (await call("callers", {"sym": "F"}))["call"]["args"]["kind"] == "callers"
        assert (await call("add_return", {"sym": "F", "at": "n1"}))["call"]["args"][
            "op"
        ] == "add_return"
        shell = await call("bash", {"command": "ls"})
        assert (shell["status"], shell["reason"]) == ("rejected", "no_shell_here")
        assert [r["call"]["tool"] for r in shell["possible_repairs"]] == ["query", "help"]
        read = await call("read_file", {"path": "lib/lib.go"})
        assert read["possible_repairs"][0]["call"] == {
            "tool": "view",
            "args": {"sym": "lib/lib.go"},
        }
        sought = await call("grep", {"pattern": "Fprint"})
        assert sought["possible_repairs"][0]["call"]["args"] == {"kind": "text", "q": "Fprint"}
        given = {"path": "lib/lib.go", "old_str": "return v", "new_str": "return w"}
        edit = await call("str_replace", given)
        block = "<<<<<<< SEARCH\nreturn v\n=======\nreturn w\n>>>>>>> REPLACE\n"
        meant = {"tool": "apply", "args": {"path": "lib/lib.go", "text": block}}
        assert edit["possible_repairs"][0]["call"] == meant
        patch = await call("apply_patch", {"input": "*** Begin Patch"})
        assert patch["call"] == {"tool": "apply", "args": {"text": "*** Begin Patch"}}
        unknown = await call("rename_symbol", {})
        assert unknown["reason"] == "unknown_tool" and "rename" in unknown["did_you_mean"]

    run(echoing(), use)


def test_the_loop_goes_on_and_tells_while_a_call_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "FIRST_WORD_S", 0.01)
    desk, heard = Slow(), []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)
        desk.go_on.set()

    async def use(client: Client) -> None:
        call = asyncio.create_task(client.call_tool("status", {}, progress_callback=listen))
        await asyncio.to_thread(desk.begun.wait, 10)
        with pytest.warns(MCPDeprecationWarning):
            await client.send_ping()
        assert (await client.list_tools()).tools
        assert (await call).structured_content["tool"] == "status"
        assert heard[0] == "load 1/2"

    run(desk, use)


@pytest.mark.parametrize("mode", ERAS)
def test_a_call_that_takes_too_long_is_answered_with_a_handle(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "PENDING_S", 0.05)
    desk = Slow()

    async def use(client: Client) -> None:
        first = (await client.call_tool("test", {})).structured_content
        assert (first["status"], first["pending"], first["tool"]) == ("pending", "p1", "test")
        again = (await client.call_tool("status", first["call"]["args"])).structured_content
        assert again["pending"] == "p1"
        desk.go_on.set()
        monkeypatch.setattr(calls, "PENDING_S", 20.0)
        for _ in range(2):  # an answer that was lost on its way can be had again
            late = (await client.call_tool("status", first["call"]["args"])).structured_content
            assert late == {"status": "ok", "tool": "test"}
        unknown = (await client.call_tool("status", {"pending": "p9"})).structured_content
        assert unknown["reason"] == "pending_unknown"
        assert unknown["possible_repairs"][0]["call"] == {"tool": "query", "args": {"kind": "log"}}

    run(desk, use, mode)


def test_a_cancelled_call_and_a_client_that_left_are_told_to_the_work() -> None:
    desk = Slow()

    async def use(client: Client) -> None:
        with pytest.raises(MCPError):
            await client.call_tool("test", {}, read_timeout_seconds=0.05)
        assert await asyncio.to_thread(desk.callers[0].gone.wait, 10)
        desk.begun.clear()
        left = asyncio.create_task(client.call_tool("test", {}))
        left.add_done_callback(lambda task: task.exception())
        await asyncio.to_thread(desk.begun.wait, 10)

    run(desk, use)
    assert desk.callers[1].gone.wait(10)


def test_a_workspace_is_that_of_root_or_of_the_client(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "go.mod").write_text(f"module {name}\n")
    asked: list[Path | None] = []

    class Nowhere(OneDesk):
        has_home = False

        def answer(self, root: Path | None, tool: str, args: Json, caller: Caller) -> Any:
            asked.append(root)
            return super().answer(root, tool, args, caller)

    desk = Nowhere(lambda *_: {"status": "ok"})
    roots = [types.Root(uri=f"file://{tmp_path / 'one'}")]

    async def list_roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=roots)

    async def use(client: Client) -> None:
        await client.call_tool("status", {"root": str(tmp_path / "two" / "sub")})
        await client.call_tool("status", {})
        assert asked == [tmp_path / "two", tmp_path / "one"]
        nowhere = await client.call_tool("status", {"root": "/"})
        assert nowhere.is_error and nowhere.structured_content["key"] == "no_workspace"
        wrong = await client.call_tool("status", {"root": 7})
        assert wrong.structured_content["reason"] == "unknown_argument"

    run(desk, use, list_roots_callback=list_roots)
    roots.append(types.Root(uri=f"file://{tmp_path / 'two'}"))

    async def choose(client: Client) -> None:
        several = await client.call_tool("status", {})
        assert "one" in several.structured_content["message"]

    run(desk, choose, list_roots_callback=list_roots)


def test_a_channel_moves_on_between_calls_alone() -> None:
    async def main() -> None:
        inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        channel = Channel(Peer("/", {}, "test"), inbox.get, lambda _: None)
        inbox.put_nowait(Message(b"1"))
        assert await channel.receive() == Message(b"1")
        gone = threading.Event()
        channel.begin("a call", gone)
        channel.retire()
        ending = asyncio.create_task(channel.receive())
        await asyncio.sleep(0.02)
        assert not ending.done() and not channel.moved_on
        channel.interrupt()
        assert gone.is_set()
        channel.end("a call")
        assert await ending is None and channel.moved_on
        stale = Channel(Peer("/", {}, "test"), inbox.get, lambda _: None, lambda: True)
        inbox.put_nowait(Message(b"2"))
        assert await stale.receive() is None and stale.moved_on

    asyncio.run(main())
