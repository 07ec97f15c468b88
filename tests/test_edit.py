"""Tie order and conflicts of edits."""

from __future__ import annotations

import pytest
from fake_scope import edit_of

from grammar_ops.edit import Span, apply_edits


def test_insertions_at_one_place_keep_their_order() -> None:
    edits = [edit_of("f", 1, 1, "x"), edit_of("f", 1, 2, "Y"), edit_of("f", 1, 1, "z")]
    assert apply_edits(b"abc", edits) == b"axzYc"


@pytest.mark.parametrize(
    ("one", "other"), [((0, 2), (1, 3)), ((0, 3), (1, 1)), ((0, 2), (0, 2))]
)  # fmt: skip
def test_overlaps_are_conflicts(one: tuple[int, int], other: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits(b"abc", [edit_of("f", *one, "x"), edit_of("f", *other, "y")])


def test_touching_is_no_overlap() -> None:
    assert apply_edits(b"abc", [edit_of("f", 0, 1, "x"), edit_of("f", 1, 1, "y")]) == b"xybc"
    assert not Span(0, 1).overlaps(Span(1, 1))
