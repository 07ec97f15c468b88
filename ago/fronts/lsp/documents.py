"""Open documents: an editor's text, the disk's text that it stems from, and merges of the two.

Invariant: nothing that the user typed is ever replaced: what others wrote goes between it, or is
told as a conflict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from grammar_ops.ledger import Pieces
from grammar_ops.linediff import diff_pieces, text_edits

BOM = b"\xef\xbb\xbf"


class Merge(NamedTuple):
    """What others changed on the disk, as replacements of a document's text."""

    edits: list[tuple[int, int, bytes]]
    conflicts: list[int]
    """Offsets in the document at which both sides changed the same lines."""


@dataclass
class Document:
    """One open file."""

    path: str
    version: int | None
    text: bytes
    """What the editor holds."""
    disk: bytes
    """What the disk held when it was last looked at, without a byte order mark."""
    base: bytes
    """The disk's text that the editor's stems from: opened, saved, reloaded or merged."""

    @classmethod
    def open(cls, path: str, version: int | None, text: bytes, disk: bytes | None) -> Document:
        """A document that an editor has just opened."""
        found = strip_bom(disk or b"")
        return cls(path, version, text, found, found)

    @property
    def is_unsaved(self) -> bool:
        """Whether it holds something that was typed and not saved."""
        return self.text != self.base

    @property
    def is_behind(self) -> bool:
        """Whether the disk holds something that the document does not know of."""
        return self.base != self.disk

    def take(self, text: bytes, version: int | None) -> None:
        """The editor's text is another one now."""
        self.text, self.version = text, version
        if text == self.disk:
            self.base = self.disk  # reloaded, merged, or undone as far as that

    def look(self, disk: bytes | None) -> None:
        """The disk holds this now; a file that is gone leaves the document what it was."""
        if disk is not None:
            self.disk = disk
            self.take(self.text, self.version)

    def save(self) -> None:
        """The editor has written its text."""
        self.disk = self.base = self.text

    def merge(self) -> Merge:
        """How the document takes in what the disk has got since its base."""
        to_text = diff_pieces(self.base, self.text)
        edits, conflicts = [], []
        for start, end, new in text_edits(self.base, self.disk):
            span = _through(to_text, start, end, len(self.base), len(self.text))
            if span is None:
                conflicts.append(_near(to_text, start, len(self.text)))
            else:
                edits.append((*span, new))
        return Merge(edits, conflicts)

    def settle(self) -> bool:
        """Whether the document holds what the disk has got; the disk is its base then."""
        of_base, of_disk = diff_pieces(self.base, self.text), diff_pieces(self.disk, self.text)
        shift = 0
        for start, end, new in text_edits(self.base, self.disk):
            at = start + shift
            shift += len(new) - (end - start)
            size, all_ = (len(self.disk), of_disk) if new else (len(self.base), of_base)
            here = (at, at + len(new)) if new else (start, end)
            # New lines must stand in the document, deleted ones must not.
            if (_through(all_, *here, size, len(self.text)) is None) == bool(new):
                return False
        self.base = self.disk
        return True


def strip_bom(text: bytes) -> bytes:
    """A file's text as editors hold it: the byte order mark is none of it."""
    return text.removeprefix(BOM)


def apply_edits(text: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """A text with replacements, ascending and apart, made."""
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


def map_offset(old: bytes, new: bytes, offset: int) -> int | None:
    """Where a byte of a text stands in another version of it, None where its line is another."""
    if old == new:
        return offset
    pieces = diff_pieces(old, new)
    return next((n + offset - o for o, n, length in pieces if o <= offset < o + length), None)


def _through(
    pieces: Pieces, start: int, end: int, size: int, new_size: int
) -> tuple[int, int] | None:
    """Where [start, end) of the base stands in the document, None when it was changed there."""
    for old, new, length in (*pieces, (size, new_size, 0)):
        if old <= start and end <= old + length:
            return start - old + new, end - old + new
    return None


def _near(pieces: Pieces, offset: int, size: int) -> int:
    """The place in the document at or behind which a changed part of the base stood."""
    ends = [new + min(length, offset - old) for old, new, length in pieces if old <= offset]
    return min(max(ends, default=0), size)
