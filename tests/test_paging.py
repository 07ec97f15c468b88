"""Paging: the calls that shortened answers offer give every entry and every line exactly once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from dirs import Dirs
from sessions import Calls, opened
from test_git import commit, git
from workspaces import copy_demo

from ago.queries.catalog import QUERIES

pytestmark = pytest.mark.go

_TOKENS = 250


def many(text: str) -> str:
    """A text so many times, `#` being its number."""
    return "".join(text.replace("#", str(n)) for n in range(30))


_STD = (
    "bytes context embed errors expvar flag fmt hash html io log maps math mime net os path plugin"
)
_PACKAGES = f"{_STD} regexp slices sort strconv strings sync syscall testing time unicode".split()
_WIDE = "".join(
    [
        'package lib\n\nimport "os"\n\n',
        many("// Line # of a long doc comment, of many of its kind.\n"),
        "type Wide struct {\n", many("\tField# int // number #\n"), "}\n\n",
        "func (w *Wide) Run() {\n", many("\tw.Field0 = #\n"), "}\n\n",
        "func Every() {\n", many("\tact#()\n"), "}\n\n",
        many('func act#() { _ = os.Remove("#") }\n'),
        many("func dead#() {}\n"),
        many("func Use#() int { return Double(#) }\n"),
    ]
)  # fmt: skip
# What makes answers long.
_FILES = {
    "lib/wide.go": _WIDE,
    "lib/imports.go": "package lib\n\n" + "".join(f'import _ "{p}"\n' for p in _PACKAGES),
    "lib/wide_test.go": 'package lib\n\nimport "testing"\n\n'
    + many("func TestWide#(t *testing.T) { _ = Double(#) }\n"),
    "sig/wide.go": "package sig\n\n"
    + many("type wide# struct{}\n\nfunc (wide#) Run(n int) int { return n }\n"),
    **{f"user{n}/u.go": f'package user{n}\n\nimport _ "demo/lib"\n' for n in range(30)},
}
# A question of each kind whose answer is too long for so few tokens.
_LONG: dict[str, dict[str, Any]] = {
    "callees": {"sym": "lib.Every"},
    "callers": {"sym": "lib.Double"},
    "callgraph": {"sym": "lib.Double"},
    "diff": {"since": "HEAD~1"},
    "doc": {"sym": "lib.Wide"},
    "effects": {"sym": "lib.Every"},
    "impact": {"sym": "lib.Double"},
    "implementations": {"sym": "sig.Job"},
    "importers": {"pkg": "lib"},
    "imports": {"pkg": "lib"},
    "inspect": {"sym": "lib.Wide"},
    "outline": {"sym": "lib"},
    "refs": {"sym": "lib.Double"},
    "search": {"q": "use"},
    "source": {"sym": "lib.Wide.Run"},
    "tests_for": {"sym": "lib.Double"},
    "text": {"q": "Double"},
    "unused": {"pkg": "lib"},
    "view": {"sym": "lib.Wide.Run"},
    "writes": {"sym": "lib.Wide.Field0"},
}
# Their answers are short here: there is one commit, and nothing is wrong.
_SHORT = {"history", "diagnostics", "status", "meaning"}


@pytest.fixture(scope="module")
def ago(tmp_path_factory: pytest.TempPathFactory, ago_dirs: Dirs) -> Iterator[Calls]:
    root = copy_demo(tmp_path_factory.mktemp("paging"))
    git(root, "init", "-q")
    commit(root, "demo", {})
    commit(root, "more", _FILES)
    with opened(root, ago_dirs) as calls:
        yield calls


def entries(kind: str, answer: dict[str, Any]) -> list[str]:
    """The entries of an answer's list, or the lines of its text."""
    assert answer["status"] == "ok", answer
    if kind in ("doc", "source", "view"):
        return list(answer.get("text", answer.get("doc", "")).splitlines())
    head = set(_HEAD) - {kind}
    lists = [v for key, v in answer.items() if isinstance(v, list) and key not in head]
    return [json.dumps(entry) for found in lists for entry in found]


_HEAD = ("imports", "files", "flags", "declared_also", "through", "modules")


@pytest.mark.parametrize("kind", sorted(_LONG))
def test_the_offered_calls_give_everything_once(ago: Calls, kind: str) -> None:
    args = {"kind": kind, **_LONG[kind]}
    whole = entries(kind, ago("query", {**args, "max_tokens": 100_000}))
    seen: list[str] = []
    call: dict[str, Any] | None = {"tool": "query", "args": {**args, "max_tokens": _TOKENS}}
    pages = 0
    while call:
        answer = ago(call["tool"], call["args"])
        assert len(json.dumps(answer, separators=(",", ":"))) <= _TOKENS * 4 + 250
        seen += entries(kind, answer)
        assert bool(answer.get("truncated")) == ("next" in answer)
        call = answer.get("next")
        pages += 1
    assert seen == whole
    assert pages > 1


def test_every_kind_is_asked() -> None:
    assert set(_LONG) | _SHORT == set(QUERIES)
