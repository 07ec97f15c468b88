"""The project's own tooling: archives, generated regions, a new op's files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ago.dev import docs, scaffold, txtar

NAMES = st.from_regex(r"[a-z]{1,4}(/[a-z]{1,4})?\.(go|json)", fullmatch=True)
LINES = st.lists(st.sampled_from([b"x\n", b"\n", b"crlf\r\n", b"-- no marker\n", b"\xff\n"]))


@given(LINES.map(b"".join), st.dictionaries(NAMES, LINES.map(b"".join)))
def test_archives_come_back(comment: bytes, files: dict[str, bytes]) -> None:
    archive = txtar.Archive(comment, files)
    assert txtar.parse(txtar.render(archive)) == archive


def test_archives_end_in_a_line_feed() -> None:
    assert txtar.render(txtar.Archive(b"why", {"a.go": b"package a"})) == (
        b"why\n-- a.go --\npackage a\n"
    )


def test_a_file_occurs_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        txtar.parse(b"-- a --\n-- a --\n")


def test_canonical_order_and_json() -> None:
    archive = txtar.parse(
        b'-- want/response.json --\n{}\n-- want/a.go --\n-- b.go --\n-- request.json --\n{"a":1}\n'
    )
    assert list(txtar.canonical(archive).files) == [
        "request.json", "b.go", "want/a.go", "want/response.json",
    ]  # fmt: skip
    assert txtar.canonical(archive).files["request.json"] == b'{\n  "a": 1\n}\n'


def test_regions_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("setup: x ## make it\nhidden:\n")
    text = "before\n<!-- begin targets -->\nold\n<!-- end targets -->\nafter\n"
    filled = docs.fill_regions(tmp_path, text)
    assert "| `make setup` | make it |\n" in filled
    assert "old" not in filled and "hidden" not in filled
    assert docs.fill_regions(tmp_path, filled) == filled


@pytest.mark.parametrize("family", scaffold.FAMILIES)
def test_new_op_writes_both_files(family: str, tmp_path: Path) -> None:
    (tmp_path / "grammar_ops" / "ops" / family).mkdir(parents=True)
    module, case = scaffold.new_op(tmp_path, family, "add_label")
    assert "class AddLabel(" in module.read_text()
    ast.parse(module.read_text())
    assert txtar.parse(case.read_bytes()).files["want/response.json"]
    with pytest.raises(ValueError, match="there already"):
        scaffold.new_op(tmp_path, family, "add_label")
    with pytest.raises(ValueError, match="snake case"):
        scaffold.new_op(tmp_path, family, "AddLabel")
