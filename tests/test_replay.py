"""A replay of wrong calls: each is understood, or refused with a repair that works as it is sent.

The rows stand in testdata/replay: what was `sent`, what it `means` (an address) or `gives` (texts
of the answer), what was put right on the way (`says`), and, where it is refused, the reason and
what the first repair is: the call that was meant, or the look that has to come before (`led`).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dirs import Dirs
from sessions import Calls, opened

from ago.dev import txtar
from ago.protocol.lenient import parse_envelope, parse_json
from ago.protocol.opshape import find_name
from grammar_ops.catalog import CATALOG

pytestmark = pytest.mark.go

REPLAY = Path(__file__).resolve().parent.parent / "testdata" / "replay"
Json = dict[str, Any]
READS = frozenset(
    {"help", "inspect", "log", "query", "refs", "search", "show", "status", "test", "view"}
)


EDITS = frozenset({"patch", "undo", *CATALOG})


class Outcome(NamedTuple):
    """What became of a call: the last answer, and how many calls it took to get there."""

    answer: Json
    steps: int


def load_rows() -> Iterator[Any]:
    for path in sorted(REPLAY.glob("*.toml")):
        for number, row in enumerate(tomllib.loads(path.read_text())["row"], 1):
            yield pytest.param(row, id=f"{path.stem}{number}")


ROWS = list(load_rows())
COUNTED: dict[str, int] = {}
"""Row -> the calls that it took beside the first."""


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory, ago_dirs: Dirs) -> Iterator[Calls]:
    root = tmp_path_factory.mktemp("replay") / "shop"
    for name, text in txtar.parse((REPLAY / "shop.txtar").read_bytes()).files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text)
    with opened(root, ago_dirs) as session:
        session("status", {"wait": True})
        yield session


@pytest.mark.parametrize("row", ROWS)
def test_row(row: Json, call: Calls, request: pytest.FixtureRequest) -> None:
    generation, edits = 0, 0
    try:
        for text in row.get("after", ()):
            answer = send(call, text, write=True)
            assert answer["status"] in ("ok", "accepted"), answer
            generation = (
                int(answer.get("generation", generation)) if "edit" not in answer else generation
            )
            edits += "edit" in answer
        outcome = follow(call, row, row["sent"].replace('"@gen"', str(generation)))
    finally:
        for _ in range(edits):
            assert call("undo", {})["status"] == "accepted"
    COUNTED[request.node.name] = outcome.steps


def follow(call: Calls, row: Json, text: str) -> Outcome:
    """Send a row's call and, where it is refused, the repair; both have to be what the row says."""
    first = send(call, text)
    reason = row.get("refused", "")
    assert first.get("reason", "") == reason, first
    assert len(json.dumps(first)) < 16_000
    said = json.dumps(
        [first.get("normalised", []), first.get("resolved", ""), first.get("handles_moved", {})]
    )
    assert row.get("says", "") in said, first
    if not reason:
        check_meaning(row, first)
        return Outcome(first, 0)
    repairs = first.get("possible_repairs", [])
    assert repairs, first
    tool, args = repairs[0]["call"]["tool"], repairs[0]["call"]["args"]
    final = call(tool, args if tool in READS else {**args, "dry_run": True})
    assert final["status"] == "ok", (repairs[0], final)
    if "led" in row:
        assert tool == row["led"], first
        return Outcome(final, 2)
    check_meaning(row, final)
    return Outcome(final, 1)


def send(call: Calls, text: str, *, write: bool = False) -> Json:
    """The answer to `tool arguments`; what would write is a dry run unless it prepares a row."""
    tool, _, body = text.strip().partition(" ")
    args: Any = (parse_envelope if tool == "patch" else parse_json)(body)[0]
    if find_name(tool, EDITS) and not write and "dry_run" not in args:
        args = {"dry_run": True, **args}
    return call(tool, args)


def check_meaning(row: Json, answer: Json) -> None:
    """The answer speaks of the declaration that was meant, and has the texts that it should."""
    assert answer["status"] == "ok", answer
    if "means" in row:
        assert answer.get("symbol") == row["means"], answer
    text = json.dumps(answer, ensure_ascii=False)
    for given in row.get("gives", ()):
        assert (
            given in text
            or given in str(answer.get("diff", ""))
            or given in str(answer.get("text", ""))
        ), answer


def test_nine_of_ten_take_one_step() -> None:
    """An understood call takes no further one, a repaired one takes one."""
    assert len(ROWS) >= 120
    if len(COUNTED) < len(ROWS):
        pytest.skip("counts the rows of a whole run")
    quick = [name for name, steps in COUNTED.items() if steps <= 1]
    assert len(quick) >= 0.9 * len(ROWS), sorted(set(COUNTED) - set(quick))


SIZE, NUMBER = '"sym": "store.Store.Size"', '"sym": "store.ID"'
RESENT = [
    ('view {"pkg": "store", "sym": "Nothing"}', "query", "query"),
    ('rename {"sym": "store.Limit", "wrong": "x"}', "help", "help"),
    (f'patch {{{SIZE}, "ops": [{{"op": "delete_node", "at": "n7"}}]}}', "view", "query"),
    (f'set_body {{{SIZE}, "body": "return nope"}}', "view", "query"),
    (f'patch {{{NUMBER}, "ops": [{{"op": "remove_param", "name": "n"}}]}}', "view", "query"),
]


@pytest.mark.parametrize(("text", "look", "other"), RESENT)
def test_a_resent_call_is_answered_otherwise(call: Calls, text: str, look: str, other: str) -> None:
    """The second time with a look at what it speaks of, the third time with another way."""
    first, second, third = (send(call, text) for _ in range(3))
    assert {a["reason"] for a in (first, second, third)} == {first["reason"]}
    assert "look" not in first and second["look"]["call"]["tool"] == look
    assert second["look"]["answer"] and second["escalation"] != third["escalation"]
    assert third["possible_repairs"] != first.get("possible_repairs")
    way = third["possible_repairs"][0]["call"]
    assert way["tool"] == other
    assert (
        call(way["tool"], {**way["args"], **({"dry_run": True} if way["tool"] in EDITS else {})})[
            "status"
        ]
        == "ok"
    )
