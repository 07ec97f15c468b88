"""The list of MCP tools: short, flat, complete, and what every client's function calling takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from ago.catalog.listing import LISTED, listed, tool_list
from ago.catalog.schema import tools
from ago.daemon.dispatch import Dispatcher
from ago.fronts.mcp.names import listed_calls, resolve_call
from ago.fronts.mcp.server import shipped_list
from ago.queries.catalog import QUERIES
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Reject

MOST_BYTES = 9_850  # and the envelope around it: under 10 kB

# Gemini's Schema (generativelanguage v1beta) knows these keys; OpenAI's non-strict function calling
# and Copilot take them all, and Copilot wants `items` for an array.
KEYS = {"type", "description", "enum", "items", "properties", "required"}
TYPES = {"string", "integer", "number", "boolean", "array", "object"}

ORDERS = re.compile(
    r"\b(always|never|must|should|do not|don't|please|make sure|prefer|instead of|call this|use)\b",
    re.IGNORECASE,
)
VERB_FIRST = re.compile(r"^(Use|Call|Run|Get|Find|Make|Add|Rename|Replace|Take|Show|List|Load)\b")


def test_thirteen_tools_in_their_order() -> None:
    assert len(LISTED) == 13
    assert LISTED[:10] == (
        "status", "help", "query", "view", "patch", "test", "rename", "set_body", "add_param",
        "upsert_decl",
    )  # fmt: skip
    assert [tool["name"] for tool in tool_list()] == list(listed())


def test_the_list_that_is_shipped_is_that_of_the_catalog() -> None:
    assert shipped_list() == list(tool_list()), "ago dev golden writes it"


def test_the_list_is_short() -> None:
    size = len(orjson.dumps(tool_list()))
    assert size < MOST_BYTES, f"{size} bytes: shorten descriptions in ago/catalog/listing.py"


def schemas(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema within a schema, with its path."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from schemas(inner, f"{path}.{name}")
    if "items" in schema:
        yield from schemas(schema["items"], f"{path}[]")


@pytest.mark.parametrize("tool", tool_list(), ids=lambda tool: tool["name"])
def test_every_client_takes_the_arguments(tool: dict[str, Any]) -> None:
    for path, schema in schemas(tool["inputSchema"]):
        assert set(schema) <= KEYS, path
        assert schema["type"] in TYPES, path
        assert ("items" in schema) == (schema["type"] == "array"), path
        assert ("properties" in schema) == (schema["type"] == "object"), path
        assert schema.get("properties") != {}, path
        assert set(schema.get("required", ())) <= set(schema.get("properties", ())), path
        if "enum" in schema:
            assert schema["type"] == "string" and "" not in schema["enum"], path
            assert all(isinstance(value, str) for value in schema["enum"]), path
    assert re.fullmatch(r"[a-z_]{1,40}", tool["name"])
    assert isinstance(tool["inputSchema"]["required"], list)
    assert tool["outputSchema"]["type"] == "object"


@pytest.mark.parametrize("tool", tool_list(), ids=lambda tool: tool["name"])
def test_descriptions_tell_nobody_what_to_do(tool: dict[str, Any]) -> None:
    texts = [tool["description"]]
    texts += [s["description"] for _, s in schemas(tool["inputSchema"]) if "description" in s]
    for text in texts:
        assert not ORDERS.search(text) and not VERB_FIRST.search(text), text


def test_hints_say_what_may_write() -> None:
    reads = {tool["name"] for tool in tool_list() if tool["annotations"]["readOnlyHint"]}
    assert reads == {"status", "help", "query", "view", "dry_run"}
    for tool in tool_list():
        if tool["name"] not in reads:
            # Not given, the hint means that a tool may destroy.
            assert ("destructiveHint" in tool["annotations"]) == (tool["name"] == "test")


def test_an_op_is_one_flat_object_of_all_arguments() -> None:
    (patch,) = (tool for tool in tool_list() if tool["name"] == "patch")
    op = patch["inputSchema"]["properties"]["ops"]["items"]
    assert op["properties"]["op"]["enum"] == list(CATALOG)
    names = {i.alias or key for op in CATALOG.values() for key, i in op.model_fields.items()}
    assert set(op["properties"]) == names
    assert op["required"] == ["op"]


def test_query_takes_every_kind_and_the_history() -> None:
    (query,) = (tool for tool in tool_list() if tool["name"] == "query")
    assert query["inputSchema"]["properties"]["kind"]["enum"] == [*QUERIES, "log", "show"]
    assert resolve_call("query", {"kind": "show", "edit": 3}).tool == "show"
    assert resolve_call("query", {"kind": "log"}).args == {}


@pytest.mark.parametrize("name", [*tools(), *CATALOG, *QUERIES])
def test_every_name_of_the_catalog_can_be_called(name: str) -> None:
    for written in (name, f"ago_{name}", f"mcp__ago__{name}"):
        meant = resolve_call(written, {})
        assert meant.tool in tools()
        assert (meant.aliased_from == "") == (written == name == meant.tool)


def test_a_dry_run_is_a_patch_that_writes_nothing() -> None:
    meant = resolve_call("dry_run", {"ops": [], "dry_run": False})
    assert (meant.tool, meant.args["dry_run"]) == ("patch", True)


@pytest.mark.parametrize("name", ["bash", "str_replace_editor", "write_file", "glob", "ls"])
def test_there_is_no_shell(name: str) -> None:
    with pytest.raises(Reject) as refused:
        resolve_call(name, {})
    assert refused.value.reason == "no_shell_here"
    assert len(refused.value.repairs) == 2


def test_a_tool_of_another_server_is_answered_with_ours() -> None:
    assert Dispatcher  # it registers what is refused
    with pytest.raises(Reject) as refused:
        resolve_call("find_usages", {"symbol": "lib.Double"})
    assert refused.value.reason == "unknown_tool"
    call = refused.value.repairs[0].call
    assert (call.tool, call.args) == ("refs", {"sym": "lib.Double"})
    assert listed_calls({"call": {"tool": call.tool, "args": dict(call.args)}}) == {
        "call": {"tool": "query", "args": {"kind": "refs", "sym": "lib.Double"}}
    }


def test_calls_in_answers_are_of_listed_tools() -> None:
    body: Any = {
        "possible_repairs": [
            {"why": "", "call": {"tool": "search", "args": {"q": "x"}}},
            {"why": "", "call": {"tool": "patch", "args": {"ops": [], "dry_run": True}}},
            {"why": "", "call": {"tool": "log"}},
        ],
        "notices": [{"msg": "", "call": {"tool": "undo", "args": {"edit": 2}}}],
        "text": "kept",
    }
    shown: Any = listed_calls(body)
    assert [repair["call"] for repair in shown["possible_repairs"]] == [
        {"tool": "query", "args": {"kind": "search", "q": "x"}},
        {"tool": "dry_run", "args": {"ops": []}},
        {"tool": "query", "args": {"kind": "log"}},
    ]
    assert shown["notices"][0]["call"] == {"tool": "undo", "args": {"edit": 2}}
    assert shown["text"] == "kept"
