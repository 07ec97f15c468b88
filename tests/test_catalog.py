"""Contracts over everything that is registered: ops, tools, reasons."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import orjson
import pytest
from golden import load_case

from ago.catalog.help import help_answer
from ago.catalog.schema import tool_schema, tools
from ago.dev.docs import load_everything
from ago.protocol.requests import Query
from ago.queries.catalog import QUERIES
from grammar_ops.catalog import CATALOG, describe
from grammar_ops.reject import Reject, registered_reasons

ROOT = Path(__file__).resolve().parent.parent

load_everything()


@cache
def shown() -> str:
    """All that tests and cases say."""
    files = [*(ROOT / "tests").glob("*.py"), *(ROOT / "testdata").rglob("*.txtar")]
    return "\n".join(path.read_text(errors="replace") for path in files)


@pytest.mark.parametrize("key", sorted(registered_reasons()))
def test_every_reason_is_shown(key: str) -> None:
    """A reason that no test and no case meets is one that nobody knows to work."""
    assert re.search(rf"\b{key}\b", shown())


@pytest.mark.parametrize("key", sorted(registered_reasons()))
def test_reasons_are_sentences(key: str) -> None:
    reason = registered_reasons()[key]
    assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", key)
    assert reason.summary and not reason.summary.endswith(".") and "\n" not in reason.summary


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_ops_describe_themselves(name: str) -> None:
    found = describe(CATALOG[name])
    assert found["summary"]
    args = found["args"]
    assert isinstance(args, list)
    for arg in args:
        assert isinstance(arg, dict) and arg["description"], f"{name}: {arg} has no description"


@pytest.mark.parametrize("name", sorted(tools()))
def test_tools_describe_themselves(name: str) -> None:
    tool = tools()[name]
    assert tool.summary.endswith(".")
    for key, schema in tool_schema(name)["properties"].items():
        assert schema.get("description"), f"{name}.{key} has no description"


def test_answers_hold_no_markdown() -> None:
    for path in (ROOT / "testdata").rglob("*.txtar"):
        assert "```" not in path.read_text(errors="replace"), path


def test_help_of_an_unknown_topic_names_the_near_ones() -> None:
    with pytest.raises(Reject) as caught:
        help_answer("renam", {})
    assert caught.value.reason == "unknown_help_topic"
    assert "rename" in caught.value.did_you_mean


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_every_op_shows_what_it_does_and_refuses(name: str) -> None:
    """An example, an accepted edge, a rejection, and each reason that only this op gives."""
    op, answers = CATALOG[name], dict[str, dict[str, str]]()
    for path in (ROOT / "testdata" / "ops" / name).glob("*.txtar"):
        answers[path.stem] = load_case(path).response
    edges = [answer["status"] for hazard, answer in answers.items() if hazard != "example"]
    assert "example" in answers and {"accepted", "rejected"} <= {*edges}
    own = {*op.reasons, *(ceiling.id for ceiling in op.ceilings)}
    assert own <= {answer.get("reason") for answer in answers.values()}


def test_reasons_of_old_are_answered_by_reasons_of_today() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (.+?) \|", (ROOT / "docs/reasons-of-old.md").read_text(), re.MULTILINE
    )
    assert rows
    for old, now in rows:
        assert old not in registered_reasons(), f"{old} is a reason again"
        for key in re.findall(r"(?<!failed: )`(\w+)`", now):
            assert key in registered_reasons(), f"{old}: {key} is no reason"


@pytest.mark.parametrize("name", sorted({*CATALOG, *tools(), *QUERIES}))
def test_help_of_one_entry_is_short(name: str) -> None:
    entry = help_answer(name, QUERIES)
    assert len(orjson.dumps(entry)) < 2000
    assert entry["description"]


def test_query_takes_what_its_kinds_take() -> None:
    taken = {field for query in QUERIES.values() for field in query.request.model_fields}
    assert taken <= Query.model_fields.keys()
