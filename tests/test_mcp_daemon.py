"""`ago mcp` as clients start it: a relay and a daemon, either of which may end at any time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_peer import CALLS, ERAS
from shells import AGO, Shell, processes, shell_in_demo

from ago.catalog.listing import listed

pytestmark = pytest.mark.daemon

Json = dict[str, Any]


@pytest.fixture(scope="module")
def shell(ago_dirs: Dirs) -> Iterator[Shell]:
    with shell_in_demo(ago_dirs.cache) as shell:
        yield shell


class Raw:
    """A client that writes its own lines."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process, self._number = process, 0

    def send(self, method: str, params: Json | None = None, *, notify: bool = False) -> int:
        """Say something; its number."""
        message: Json = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notify:
            self._number += 1
            message["id"] = self._number
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._number

    def hear(self) -> Json:
        """The next line."""
        assert self.process.stdout
        answer: Json = json.loads(self.process.stdout.readline())
        return answer

    def ask(self, method: str, params: Json | None = None) -> Json:
        """Say something and hear the answer to it."""
        number = self.send(method, params)
        answer = self.hear()
        assert answer["id"] == number, answer
        return answer

    def call(self, tool: str, args: Json) -> Json:
        """What a tool answers, however long it takes."""
        result = self.ask("tools/call", {"name": tool, "arguments": args})["result"]
        body: Json = result["structuredContent"]
        return self.call(**body["call"]) if body["status"] == "pending" else body

    def shake_hands(self) -> None:
        """Open a session."""
        client = {"name": "raw", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        assert self.ask("initialize", params)["result"]["serverInfo"]["name"] == "ago"
        self.send("notifications/initialized", notify=True)


@contextmanager
def raw(shell: Shell, folder: Path | None = None, **env: str) -> Iterator[Raw]:
    """A raw client of `ago mcp`, which ends when its client has no more to say."""
    command = [AGO, "mcp", "-C", str(folder or shell.root)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=shell.env | env, stdin=pipe, stdout=pipe) as process:
        try:
            client = Raw(process)
            client.shake_hands()
            yield client
            assert process.stdin
            process.stdin.close()
            process.wait(10)
        finally:
            process.kill()


def relays(shell: Shell) -> list[int]:
    """Process ids of `ago mcp` on the module."""
    return [pid for pid, words in processes() if words[-3:] == ["mcp", "-C", str(shell.root)]]


def test_the_handshake_and_the_list_load_no_workspace(shell: Shell) -> None:
    with raw(shell) as client:
        tools = client.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == list(listed())
        assert client.ask("ping")["result"] == {}
        assert not shell.checkers()


def test_lines_that_are_no_requests_end_nothing(shell: Shell) -> None:
    lines = [
        "", "not json", "{}", "[]", '{"jsonrpc":"2.0","id":[5],"method":"ping"}',
        '{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}',
        '{"jsonrpc":"2.0","id":8,"method":"resources/list"}',
        '{"jsonrpc":"2.0","id":6,"method":"ping","params":{"half":"\\ud800"}}',
        '{"jsonrpc":"2.0","id":9,"method":"ping"}',
    ]  # fmt: skip
    opening = {"protocolVersion": "2024-11-05", "capabilities": {}}
    opening["clientInfo"] = {"name": "old", "version": "1"}
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
    done = shell.ago("mcp", stdin="\n".join([json.dumps(first), *lines]))
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["result"]["protocolVersion"] == "2024-11-05"
    assert answers[7]["error"]["code"] == answers[6]["error"]["code"] == -32600
    assert answers[8]["error"]["code"] == -32601
    assert answers[9]["result"] == {}


@pytest.mark.parametrize("mode", ERAS)
def test_the_python_sdk_drives_every_tool(shell: Shell, mode: str) -> None:
    server = StdioServerParameters(command=str(AGO), args=["mcp"], cwd=shell.root, env=shell.env)

    async def main() -> None:
        async with Client(stdio_client(server), mode=mode) as client:
            await client.list_tools()
            for tool, args, wanted in CALLS:
                result = await client.call_tool(tool, args)
                while result.structured_content["status"] == "pending":
                    call = result.structured_content["call"]
                    result = await client.call_tool(call["tool"], call["args"])
                body = result.structured_content
                assert not result.is_error
                assert wanted.items() <= body.items(), (tool, body)
                assert json.loads(result.content[0].text) == body  # type: ignore[union-attr]

    asyncio.run(asyncio.wait_for(main(), 250))
    assert {tool for tool, _, _ in CALLS} == set(listed())


def edits(client: Raw) -> int:
    """How many edits the history holds."""
    count: int = client.call("query", {"kind": "log"})["count"]
    return count


def test_a_killed_daemon_is_followed_by_another_in_the_same_session(shell: Shell) -> None:
    with raw(shell) as client:
        before = edits(client)
        assert client.call("set_body", {"sym": "lib.Double", "body": "return v + v"})["edit"]
        for daemon in shell.daemons():
            os.kill(daemon, signal.SIGKILL)
        assert edits(client) == before + 1


def test_a_call_that_a_killed_daemon_had_begun_is_made_once(shell: Shell) -> None:
    with raw(shell) as client:
        before = edits(client)
        args = {"sym": "lib.Double", "body": f"return v + {before}"}
        number = client.send("tools/call", {"name": "set_body", "arguments": args})
        for daemon in shell.daemons():
            os.kill(daemon, signal.SIGKILL)
        answer = client.hear()
        assert answer["id"] == number
        assert answer["result"]["structuredContent"]["status"] == "accepted"
        assert edits(client) == before + 1


def test_a_stopped_daemon_and_changed_settings_are_not_noticed(shell: Shell) -> None:
    with raw(shell) as client:
        assert shell.ago("daemon", "stop").returncode == 0
        assert client.call("status", {})["status"] == "ok"
        (first,) = shell.daemons()
        (shell.root / "ago.toml").write_text("budget_tokens = 3000\n")
        assert client.call("status", {})["status"] == "ok"
        assert first not in shell.daemons()


def test_a_client_that_ends_or_a_killed_relay_leaves_no_process(shell: Shell) -> None:
    with raw(shell) as client:
        assert len(relays(shell)) == 1
    assert client.process.returncode == 0
    assert relays(shell) == []
    with raw(shell) as client:
        client.send("tools/call", {"name": "test", "arguments": {}})
        client.process.kill()
    assert relays(shell) == []
    assert len(shell.daemons()) == 1


def test_without_a_socket_the_process_serves_by_itself(shell: Shell) -> None:
    shell.ago("daemon", "stop")
    with raw(shell, AGO_NO_DAEMON="1") as client:
        assert client.call("view", {"sym": "lib.Double"})["kind"] == "func"
        assert client.call("bash", {})["reason"] == "no_shell_here"
        assert shell.daemons() == []
        number = client.send("tools/call", {"name": "help", "arguments": {}})
        assert client.process.stdin
        client.process.stdin.close()
        assert client.hear()["id"] == number
    assert not shell.checkers()


def test_outside_of_a_workspace_root_names_one(shell: Shell, tmp_path: Path) -> None:
    with raw(shell, tmp_path) as client:
        nowhere = client.call("status", {})
        assert nowhere["key"] == "no_workspace" and "ago init" in nowhere["mend"]
        there = client.call("view", {"sym": "lib.Double", "root": str(shell.root / "lib")})
        assert there["kind"] == "func"
        edit = {"sym": "lib.Double", "body": "return v * 2", "idempotency_key": "k1"}
        first = client.call("set_body", {**edit, "root": str(shell.root)})
        again = client.call("set_body", {**edit, "root": str(shell.root)})
        assert (again["edit"], again["repeated"]) == (first["edit"], True)
        assert len(shell.daemons()) == 1
        (tmp_path / "go.mod").write_text("module late\n")
        assert client.call("status", {})["modules"] == ["late"]
