"""Baseline: old diagnostics never block, wherever the edit moved them; new ones always do."""

from __future__ import annotations

from ago.checker.checker import Diagnostic, UnitKey, UnitVerdict
from ago.gate.baseline import subtract


def diag(
    offset: int, code: str = "UndeclaredName", *, msg: str = "", revealed: bool = False
) -> Diagnostic:
    return Diagnostic("a.go", 1, offset, offset, -1, code, msg or code, "types", False, revealed)


def unit(base: list[Diagnostic], now: list[Diagnostic], variant: str = "") -> UnitVerdict:
    return UnitVerdict(UnitKey("p", variant), tuple(now), tuple(base))


# 10 bytes survive, 5 are written in their middle, 10 more follow.
PIECES = {"a.go": ((0, 0, 10), (10, 15, 10))}
WRITTEN = {"a.go": ((10, 15),)}


def test_an_old_diagnostic_that_moved_is_no_new_one():
    found = subtract([unit([diag(12)], [diag(17)])], PIECES, WRITTEN)
    assert found.new == () and found.pre_existing == 1


def test_one_more_of_the_same_kind_is_new():
    found = subtract([unit([diag(3)], [diag(3), diag(12)])], PIECES, WRITTEN)
    assert [d.offset for d in found.new] == [12] and found.pre_existing == 1


def test_another_code_at_the_same_place_is_new():
    found = subtract([unit([diag(3)], [diag(3, "WrongArgCount")])], PIECES, WRITTEN)
    assert [d.code for d in found.new] == ["WrongArgCount"]


def test_variants_are_named_once():
    both = [unit([], [diag(3)]), unit([], [diag(3)], "test")]
    assert len(subtract(both, PIECES, WRITTEN).new) == 1


def test_a_variant_does_not_lend_its_baseline_to_another():
    both = [unit([diag(3)], [diag(3)]), unit([], [diag(3)], "test")]
    found = subtract(both, PIECES, WRITTEN)
    assert len(found.new) == 1


def test_revealed_diagnostics_are_told_and_do_not_block():
    found = subtract([unit([], [diag(3, revealed=True)])], PIECES, WRITTEN)
    assert found.new == () and len(found.revealed) == 1


def test_nothing_is_revealed_inside_of_what_the_edit_wrote():
    found = subtract([unit([], [diag(12, revealed=True)])], PIECES, WRITTEN)
    assert len(found.new) == 1


def test_a_rewritten_place_may_keep_the_complaint_it_had():
    pieces = {"a.go": ((0, 0, 10), (14, 15, 10))}
    old, same = diag(12, msg="undefined: x"), diag(13, msg="undefined: x")
    assert subtract([unit([old], [same])], pieces, WRITTEN).new == ()
    other = diag(13, msg="undefined: y")
    assert len(subtract([unit([old], [other])], pieces, WRITTEN).new) == 1
