"""Spans and edits: byte ranges and their replacements.

Invariant: offsets are bytes; an edit speaks of the current text of its file, not of the base.
"""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Half-open byte range [start, end) of one text."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        """Whether `other` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end


class Edit(NamedTuple):
    """Replace `span` of the current text of `path` by `text`; an empty span inserts.

    A path that does not exist yet is created by an edit of the span (0, 0); `text` None deletes the file.
    """

    path: str
    span: Span
    text: bytes | None
