"""What `log` says of an edit."""

from __future__ import annotations

import pytest

from ago.patch.note import title_of
from ago.protocol.requests import Mutation, Patch
from ago.stages import Candidate, Draft, symbol_after

Names = tuple[tuple[str, str], ...]


@pytest.mark.parametrize(
    ("touches", "gone", "renames", "ops", "title"),
    [
        (
            (("m/a", "Twice"),), (("m/a", "Double"),), (("m/a", "Double", "Twice"),), ["rename"],
            "rename m/a.Double to Twice",
        ),
        (
            (("m/a", "T.New"),), (("m/a", "T.Old"),), (("m/a", "T.Old", "New"),), ["rename"],
            "rename m/a.T.Old to New",
        ),
        ((("m/a", "F"),), (), (), ["add_if", "add_return"], "add_if, add_return m/a.F"),
        ((), (("m/a", "F"),), (), ["delete_decl"], "delete_decl m/a.F"),
    ],
)  # fmt: skip
def test_titles(
    touches: Names, gone: Names, renames: tuple[tuple[str, str, str], ...], ops: list[str],
    title: str,
) -> None:  # fmt: skip
    draft = Draft({}, touches, gone, renames, False, {}, {})
    request = Patch(ops=[{"op": op} for op in ops])
    assert title_of(request, Candidate(draft, {})) == title


def test_an_undo_names_its_edit() -> None:
    assert title_of(Mutation(), Candidate(Draft({}, (), (), (), False, {}, {}), {}), 3) == (
        "undo of edit 3"
    )


@pytest.mark.parametrize(
    ("symbol", "now"),
    [
        ("m/a.T", "m/a.U"),
        ("m/a.T.M", "m/a.U.N"),
        ("m/a.F", "m/b.F"),
        ("m/a.TT", "m/a.TT"),
        ("m/a.v2.T", "m/a.v2.T"),
    ],
)
def test_a_symbol_is_followed_through_renames_and_moves(symbol: str, now: str):
    renames = [("m/a", "T", "U"), ("m/a", "T.M", "N")]
    assert symbol_after(renames, [("m/a", "F", "m/b")], symbol) == now
