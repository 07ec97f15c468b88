"""Faults that users of such tools have met: each must come out right, by the general mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import golden
import pytest
from dirs import Dirs
from golden import Case
from gotools import new_findings
from sessions import opened

Json = dict[str, Any]
CASES = golden.load_cases("field")

pytestmark = pytest.mark.go


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_field_case(case: Case, tmp_path: Path, ago_dirs: Dirs) -> None:
    root = golden.lay_out(case, tmp_path)
    before = golden.read_tree(root)
    base = golden.lay_out(case, tmp_path / "base")
    with opened(root, ago_dirs) as call:
        answer = call(case.request["tool"], case.request["args"])
    after = golden.read_tree(root)
    expected = case.check["expect"]
    also = case.check.get("also_ok", "").split(" ", 1)[0]
    got = {"accepted": "accept", "rejected": "reject"}[answer["status"]]
    assert got in (expected, also), answer
    if got == "reject":
        assert after == before
        assert answer["reason"] and (answer.get("diagnostics") or answer.get("detail")), answer
        return
    # Another right answer has its own text; that the go command accepts it holds for both.
    if got == expected:
        check_text(case, after)
    assert not new_findings(base, root)


def check_text(case: Case, after: dict[str, bytes]) -> None:
    """What each file must and must not contain, as bytes: line ends count."""
    for name, parts in case.check["must_contain"].items():
        for part in parts:
            assert part.encode() in after[name], f"{name} lacks {part!r}"
    for name, parts in case.check["must_not_contain"].items():
        for part in parts:
            assert part.encode() not in after[name], f"{name} has {part!r}"
