"""A thousand calls that nobody would send: each is answered, none is an error of the protocol."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from mcp_peer import ERAS, OneDesk, talking
from sessions import opened
from workspaces import copy_demo

from ago.catalog.listing import tool_list
from ago.daemon.caller import Caller
from ago.fronts.mcp.names import _ALIASES, _SHELL
from grammar_ops.catalog import CATALOG

pytestmark = pytest.mark.go

CALLS = 1000
ANSWERS = {"ok", "accepted", "rejected", "failed"}
# They ask the network, or run for minutes.
SLOW = {"add_dependency", "remove_dependency", "mod_tidy", "test", "run_tests"}

SCHEMAS = {tool["name"]: tool["inputSchema"]["properties"] for tool in tool_list()}
WORDS = (
    "", "lib", "demo/lib", "sig", "Double", "lib.Double", "Store.Put", "lib/lib.go:12", "n1", "n0",
    "$1", "n4.cond", "return v", "v <", "func F() {}", "before", "\x00", "ü\n", "../..", "%s", "-1",
)  # fmt: skip


def value(rng: random.Random, schema: dict[str, Any], wild: float) -> Any:
    """Something of the schema's type, or of another."""
    kind = (
        schema["type"]
        if rng.random() > wild
        else rng.choice(["string", "array", "integer", "null"])
    )
    if kind == "integer":
        return rng.choice([0, 1, 3, -1, 10**12])
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "array":
        items = schema.get("items", {"type": "string"})
        return [value(rng, items, wild) for _ in range(rng.randrange(3))]
    if kind == "object":
        return arguments(rng, schema.get("properties", {}), wild)
    return None if kind == "null" else rng.choice([*schema.get("enum", ()), *WORDS])


def arguments(rng: random.Random, properties: dict[str, Any], wild: float) -> dict[str, Any]:
    """Some of the arguments, and now and then one that there is not."""
    names = rng.sample(sorted(properties), rng.randrange(min(len(properties), 5) + 1))
    if rng.random() < wild:
        names.append("symbol")
    found = {name: value(rng, properties.get(name, {"type": "string"}), wild) for name in names}
    if str(found.get("op")) in SLOW:
        found["op"] = "rename"
    return found


def calls(seed: int) -> list[tuple[str, dict[str, Any]]]:
    """Random calls of tools, aliases, ops and tools that there are not."""
    rng = random.Random(seed)
    others = [*CATALOG, *_ALIASES, *sorted(_SHELL), "", "ago_", "ünknown"]
    found = []
    while len(found) < CALLS:
        name = rng.choice(sorted(SCHEMAS) if rng.random() < 0.8 else others)
        if name not in SLOW:
            found.append((name, arguments(rng, SCHEMAS.get(name, SCHEMAS["view"]), 0.2)))
    return found


def test_random_calls_are_answered(tmp_path: Path, ago_dirs: Dirs) -> None:
    with opened(copy_demo(tmp_path), ago_dirs) as session:

        def answer(tool: str, args: dict[str, Any], caller: Caller) -> dict[str, Any]:
            return session.session.answer(tool, args, caller).body  # type: ignore[no-any-return]

        async def main(mode: str, part: list[tuple[str, dict[str, Any]]]) -> None:
            async with talking(OneDesk(answer), mode) as client:
                await client.list_tools()
                for name, args in part:
                    result = await client.call_tool(name, args)
                    body = result.structured_content
                    if body["status"] not in ANSWERS or body.get("key") == "internal":
                        faults.append((name, args, body))
                    assert json.loads(result.content[0].text) == body  # type: ignore[union-attr]

        faults: list[Any] = []
        every = calls(seed=20260728)
        for turn, mode in enumerate(ERAS):
            asyncio.run(main(mode, every[turn::2]))
    assert not faults, faults
