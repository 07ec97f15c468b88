"""Line differences of two texts: surviving pieces, unified diffs, and minimal text edits.

Invariant: pure functions of bytes.
"""

from __future__ import annotations

import difflib
from itertools import accumulate
from typing import NamedTuple

from grammar_ops.ledger import Pieces


class DiffStat(NamedTuple):
    """How many lines an edit adds and removes."""

    added: int
    removed: int


def diff_pieces(old: bytes, new: bytes) -> Pieces:
    """The lines of `old` that stand unchanged in `new`, as byte pieces."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    old_at = [0, *accumulate(len(line) for line in before)]
    new_at = [0, *accumulate(len(line) for line in after)]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        (old_at[block.a], new_at[block.b], old_at[block.a + block.size] - old_at[block.a])
        for block in matcher.get_matching_blocks()
        if block.size
    )


def text_edits(old: bytes, new: bytes) -> list[tuple[int, int, bytes]]:
    """(start, end, text): the replacements of `old` that lead to `new`, ascending."""
    edits, at, reached = [], 0, 0
    for start, place, length in (*diff_pieces(old, new), (len(old), len(new), 0)):
        if start > at or place > reached:
            edits.append((at, start, new[reached:place]))
        at, reached = start + length, place + length
    return edits


def unified_diff(path: str, old: bytes | None, new: bytes | None) -> str:
    """A unified diff of one file as git writes it; None = absent."""
    names = (
        (f"a/{path}" if old is not None else "/dev/null"),
        (f"b/{path}" if new is not None else "/dev/null"),
    )
    lines = difflib.unified_diff(_lines(old), _lines(new), *names)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def diff_stat(old: bytes | None, new: bytes | None) -> DiffStat:
    """Lines added and removed."""
    matcher = difflib.SequenceMatcher(None, _lines(old), _lines(new), autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return DiffStat(sum(c[4] - c[3] for c in codes), sum(c[2] - c[1] for c in codes))


def _lines(text: bytes | None) -> list[str]:
    return (text or b"").decode("utf-8", "replace").splitlines(keepends=True)
