"""Ops at files that are links, read-only or do not parse; addresses that lead through links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dirs import Dirs
from sessions import opened

pytestmark = pytest.mark.go

SHARED = """package a

// Step goes on.
func Step(n int) int {
	println(n)
	return n
}
"""
USER = """package a

func use() int { return Step(1) }

var _ = use
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A module in which a/step.go is a link to another file, and b to the folder a."""
    root = tmp_path / "module"
    for name, text in {
        "go.mod": "module m\n\ngo 1.26\n",
        "store/step.txt": SHARED,
        "a/use.go": USER,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "a/step.go").symlink_to("../store/step.txt")
    (root / "b").symlink_to("a")
    return root


SIGNATURE = {"op": "set_signature", "signature": "(n, by int) int", "defaults": ["by=1"]}
STATEMENT = {"op": "add_defer", "at": "n1", "where": "before", "expr": "println()"}


def test_an_edit_goes_through_a_link_and_leaves_it_one(root: Path, ago_dirs: Dirs) -> None:
    with opened(root, ago_dirs) as call:
        edit = {"pkg": "m/a", "sym": "Step", "ops": [SIGNATURE, STATEMENT]}
        assert call("patch", edit)["status"] == "accepted"
        moved = {"op": "move_decl", "to_file": "a/step.go"}
        assert call("patch", {"pkg": "m/a", "sym": "use", "ops": [moved]})["status"] == "accepted"
    assert (root / "a/step.go").is_symlink()
    text = (root / "store/step.txt").read_text()
    assert "func Step(n, by int) int {\n\tdefer println()\n" in text
    assert text.endswith("func use() int { return Step(1, 1) }\n")


@pytest.mark.parametrize("address", [("b", "Step"), ("./b", "Step"), ("", "b/step.go:4")])
def test_an_address_leads_through_a_linked_folder(
    root: Path, ago_dirs: Dirs, address: tuple[str, str]
) -> None:
    pkg, sym = address
    with opened(root, ago_dirs) as call:
        answer = call("patch", {"pkg": pkg, "sym": sym, "ops": [STATEMENT], "dry_run": True})
    assert answer["status"] == "ok" and answer["symbol"] == "m/a.Step", answer


def test_nothing_is_written_when_one_file_is_read_only(root: Path, ago_dirs: Dirs) -> None:
    (root / "a/use.go").chmod(0o444)
    with opened(root, ago_dirs) as call:
        answer = call("patch", {"pkg": "m/a", "sym": "Step", "ops": [SIGNATURE]})
        assert (answer["status"], answer["reason"]) == ("rejected", "not_writable")
    assert (root / "store/step.txt").read_text() == SHARED
    assert os.access(root / "a/step.go", os.R_OK) and (root / "a/use.go").read_text() == USER


def test_what_does_not_parse_is_named_as_unproven(root: Path, ago_dirs: Dirs) -> None:
    torn = "package a\n\nfunc torn( {\n}\n\nfunc below() { Step(2) }\n"
    (root / "a/torn.go").write_text(torn)
    with opened(root, ago_dirs) as call:
        answer = call("rename", {"pkg": "m/a", "sym": "Step", "to": "Walk"})
    assert answer["status"] == "accepted", answer
    assert any("a/torn.go: does not parse" in said for said in answer["proof"]["unproven"])
