"""Line differences of two texts: surviving pieces, unified diffs, and minimal text edits.

Invariant: pure functions of bytes; where the caller knows which pieces survive only the text
between them is searched.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from grammar_ops.ledger import Pieces

_CONTEXT = 3
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class Hunk(NamedTuple):
    """Lines [start, end) of the old text that became lines [new_start, new_end) of the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


class DiffStat(NamedTuple):
    """How many lines an edit adds and removes."""

    added: int
    removed: int


def common_lines(old: bytes, new: bytes) -> tuple[int, int]:
    """How many bytes of whole lines two texts share at their start, and at their end."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    most = min(len(before), len(after))
    start = 0
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return sum(map(len, before[:start])), sum(map(len, before[len(before) - end :]))


def diff_pieces(old: bytes, new: bytes) -> Pieces:
    """The lines of `old` that stand unchanged in `new`, as byte pieces."""
    before, after = _lines(old), _lines(new)
    old_at = [0, *accumulate(map(len, before))]
    new_at = [0, *accumulate(map(len, after))]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        (old_at[block.a], new_at[block.b], old_at[block.a + block.size] - old_at[block.a])
        for block in matcher.get_matching_blocks()
        if block.size
    )


def text_edits(
    old: bytes, new: bytes, pieces: Pieces | None = None
) -> list[tuple[int, int, bytes]]:
    """(start, end, text): the replacements of `old` that lead to `new`, ascending."""
    pieces = diff_pieces(old, new) if pieces is None else pieces
    return [(a, b, new[c:d]) for a, b, c, d in _gaps(old, new, pieces)]


def line_hunks(old: bytes, new: bytes, pieces: Pieces | None = None) -> list[Hunk]:
    """The runs of whole lines that differ, ascending and apart from each other."""
    pieces = diff_pieces(old, new) if pieces is None else pieces
    before, after = _lines(old), _lines(new)
    starts, new_starts = _line_starts(before), _line_starts(after)
    hunks: list[Hunk] = []
    for a, b, c, d in _gaps(old, new, pieces):
        # Beside a gap both texts are the same, so whole lines on both sides are of one extent.
        hunk = Hunk(
            bisect_right(starts, a) - 1, bisect_right(starts, b),
            bisect_right(new_starts, c) - 1, bisect_right(new_starts, d),
        )  # fmt: skip
        # Trimmed before it is joined, so that an unchanged line between two gaps stays out.
        hunk = _trimmed(hunk, before, after)
        if hunks and (hunk.start <= hunks[-1].end or hunk.new_start <= hunks[-1].new_end):
            last = hunks.pop()
            hunk = _trimmed(Hunk(last.start, hunk.end, last.new_start, hunk.new_end), before, after)
        if hunk.start < hunk.end or hunk.new_start < hunk.new_end:
            hunks.append(hunk)
    return [part for hunk in hunks for part in _refined(hunk, before, after)]


def diff_stat(old: bytes | None, new: bytes | None, pieces: Pieces | None = None) -> DiffStat:
    """Lines added and removed."""
    hunks = line_hunks(old or b"", new or b"", pieces)
    return DiffStat(
        sum(h.new_end - h.new_start for h in hunks), sum(h.end - h.start for h in hunks)
    )


def unified_diff(
    path: str, old: bytes | None, new: bytes | None, pieces: Pieces | None = None
) -> str:
    """A unified diff of one file as git writes it; None = absent."""
    before, after = _lines(old or b""), _lines(new or b"")
    out = [f"--- {f'a/{path}' if old is not None else '/dev/null'}\n".encode()]
    out.append(f"+++ {f'b/{path}' if new is not None else '/dev/null'}\n".encode())
    for group in _near(line_hunks(old or b"", new or b"", pieces)):
        start = max(group[0].start - _CONTEXT, 0)
        end = min(group[-1].end + _CONTEXT, len(before))
        shift = group[0].new_start - group[0].start
        new_end = end + group[-1].new_end - group[-1].end
        out.append(f"@@ -{_range(start, end)} +{_range(start + shift, new_end)} @@\n".encode())
        for hunk in group:
            out += [b" " + line for line in before[start : hunk.start]]
            out += [b"-" + line for line in before[hunk.start : hunk.end]]
            out += [b"+" + line for line in after[hunk.new_start : hunk.new_end]]
            start = hunk.end
        out += [b" " + line for line in before[start:end]]
    whole = (
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in out
    )
    return b"".join(whole).decode("utf-8", "replace")


def _gaps(old: bytes, new: bytes, pieces: Pieces) -> Iterator[tuple[int, int, int, int]]:
    """(old start, old end, new start, new end) between the pieces, where the bytes differ."""
    at, reached = 0, 0
    for start, place, length in (*pieces, (len(old), len(new), 0)):
        if old[at:start] != new[reached:place]:
            yield at, start, reached, place
        at, reached = start + length, place + length


def _trimmed(hunk: Hunk, before: Sequence[bytes], after: Sequence[bytes]) -> Hunk:
    """A hunk without lines at its ends that are the same on both sides."""
    start, new_start = hunk.start, hunk.new_start
    end, new_end = min(hunk.end, len(before)), min(hunk.new_end, len(after))
    while start < end and new_start < new_end and before[start] == after[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and before[end - 1] == after[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return Hunk(start, end, new_start, new_end)


def _refined(hunk: Hunk, before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[Hunk]:
    """The parts of a hunk that differ: text that was replaced may repeat lines of the old one."""
    old, new = before[hunk.start : hunk.end], after[hunk.new_start : hunk.new_end]
    if min(len(old), len(new)) < 2:
        yield hunk
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            at, new_at = hunk.start, hunk.new_start
            yield Hunk(at + a, at + b, new_at + c, new_at + d)


def _near(hunks: list[Hunk]) -> Iterator[list[Hunk]]:
    """Hunks in groups whose contexts touch."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _range(start: int, end: int) -> str:
    count = end - start
    first = start + 1 if count else start
    return f"{first}" if count == 1 else f"{first},{count}"


def _line_starts(lines: Sequence[bytes]) -> list[int]:
    """Offsets of line starts; after a final line break one more line begins."""
    starts = [0, *accumulate(map(len, lines))]
    if lines and not lines[-1].endswith(b"\n"):
        starts.pop()
    return starts


def _lines(text: bytes) -> list[bytes]:
    return _LINE.findall(text)
