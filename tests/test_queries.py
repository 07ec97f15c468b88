"""Queries: golden tables of questions and answers.

A table of testdata/queries is a txtar archive: files that join or replace those of the demo module
(`base=none`: that are the module), and `table`: lines `> {"kind": …}`, each followed by its answer,
first what identifies it, then one line for each entry of its lists. `--update` rewrites the tables.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from workspaces import copy_demo, opened, write

from ago.dev import txtar
from ago.protocol.requests import Query, Refs, View
from ago.queries.catalog import QUERIES, answer_kind
from ago.queries.page import paginate
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject

TABLES = Path(__file__).resolve().parent.parent / "testdata" / "queries"


def ask(snapshot: Snapshot, question: dict[str, Any]) -> dict[str, Any]:
    """The answer to a question, or the refusal as far as a table shows it."""
    try:
        if "slots" in question:
            fields = {key: value for key, value in question.items() if key != "kind"}
            return QUERIES[question["kind"]].answer(snapshot, View(**fields))
        return answer_kind(snapshot, Query(**question))
    except Reject as reject:
        near = list(reject.did_you_mean)
        return {"status": "rejected", "reason": reject.reason, "did_you_mean": near}


def render(answer: dict[str, Any], root: Path) -> str:
    """One line for what is no list, one for each entry of a list, the text as it is."""
    head = {k: v for k, v in answer.items() if not isinstance(v, list) and k != "text"}
    head |= {key: key.upper() for key in ("go", "context") if key in head}  # the machine's own
    lines = [json.dumps(head, ensure_ascii=False).replace(str(root), "ROOT")]
    for key, value in answer.items():
        if isinstance(value, list):
            lines.append(f"{key}:")
            lines += [f"  {json.dumps(entry, ensure_ascii=False)}" for entry in value]
    if "text" in answer:
        lines.append("text:")
        lines += [f"  |{line}" for line in answer["text"].splitlines()]
    return "\n".join(lines) + "\n"


@pytest.mark.go
@pytest.mark.parametrize("table", sorted(TABLES.glob("*.txtar")), ids=lambda p: p.stem)
def test_table(table: Path, tmp_path: Path, ago_dirs: Dirs, pytestconfig: pytest.Config) -> None:
    archive = txtar.parse(table.read_bytes())
    files = dict(archive.files)
    want = files.pop("table").decode()
    root = tmp_path / "m" if b"base=none" in archive.comment else copy_demo(tmp_path)
    write(root, {name: text.decode() for name, text in files.items()})
    questions = [line[2:] for line in want.splitlines() if line.startswith("> ")]
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        got = "\n".join(
            f"> {question}\n{render(ask(snapshot, json.loads(question)), root)}"
            for question in questions
        )
    if pytestconfig.getoption("--update") and got != want:
        table.write_bytes(
            txtar.render(txtar.Archive(archive.comment, {**files, "table": got.encode()}))
        )
        return
    assert got == want


def test_every_kind_has_a_table() -> None:
    tables = "".join(path.read_text() for path in TABLES.glob("*.txtar"))
    missing = [kind for kind in QUERIES if f'"kind": "{kind}"' not in tables]
    assert not missing


def test_pages_tile_and_hold_the_budget() -> None:
    hits: list[dict[str, Json]] = [{"pos": f"file.go:{n}:1"} for n in range(500)]
    seen: list[Json] = []
    offset = 0
    while True:
        page = paginate("refs", 500, iter(hits[offset:]), Refs(offset=offset), 1600)
        found = page["refs"]
        assert isinstance(found, list)
        assert len(json.dumps(page)) < 400 * 4 + 400
        seen += found
        if not page.get("truncated"):
            break
        following = page["next_offset"]
        assert isinstance(following, int)
        assert following > offset
        offset = following
    assert seen == hits
    assert "truncated" not in paginate("refs", 500, iter([]), Refs(offset=900), 400)


@pytest.mark.go
def test_pages_of_refs_tile(tmp_path: Path, ago_dirs: Dirs) -> None:
    uses = "".join(f"var v{n} = Two(Two({n}))\n" for n in range(60))
    root = write(
        tmp_path / "m",
        {
            "go.mod": "module m\n\ngo 1.26\n",
            "m.go": f"package m\n\nfunc Two(n int) int {{ return 2 * n }}\n{uses}",
        },
    )
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        whole = answer_kind(snapshot, Query(kind="refs", sym="Two", max_tokens=100_000))
        assert whole["count"] == 121
        found: list[Any] = []
        offset = 0
        while offset < 121:
            page = answer_kind(
                snapshot, Query(kind="refs", sym="Two", offset=offset, max_tokens=500)
            )
            refs = page["refs"]
            assert isinstance(refs, list)
            found += refs
            offset += len(refs)
        assert found == whole["refs"]
