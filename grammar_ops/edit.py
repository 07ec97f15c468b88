"""Spans and edits: byte ranges, their replacements, tie order and the rule for conflicts.

Invariant: offsets are bytes; an edit speaks of the current text of its file, not of the base.
Invariant: insertions at one place keep the order they were given in, and stand before a
replacement that starts there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Span(NamedTuple):
    """Half-open byte range [start, end) of one text."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        """Whether `other` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a byte, or one inserts strictly inside the other."""
        return self.start < other.end and other.start < self.end


class Edit(NamedTuple):
    """Replace `span` of the current text of `path` by `text`; an empty span inserts.

    A path that does not exist yet is created by an edit of the span (0, 0); `text` None deletes
    the file.
    """

    path: str
    span: Span
    text: bytes | None


def order_edits(spans: Sequence[Span]) -> list[int]:
    """The indices of `spans` in the order their texts appear; a conflict is a ValueError."""
    order = sorted(range(len(spans)), key=lambda i: (spans[i].start, spans[i].end, i))
    for before, after in pairwise(order):
        if spans[before].overlaps(spans[after]):
            raise ValueError(f"edits overlap: {spans[before]} and {spans[after]}")
    return order


def apply_edits(text: bytes, edits: Sequence[Edit]) -> bytes:
    """`text` with the edits of one file applied at once; each speaks of `text` as given."""
    parts, at = [], 0
    for index in order_edits([edit.span for edit in edits]):
        span, new = edits[index].span, edits[index].text
        parts += [text[at : span.start], new or b""]
        at = span.end
    return b"".join([*parts, text[at:]])
