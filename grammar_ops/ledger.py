"""The edit record of one file: where each byte of the base stands now, who wrote the others.

Invariant: the current text is the concatenation of the pieces; base pieces keep their order.
Invariant: text that came from elsewhere is the op's own here, but keeps the name of its place.
Invariant: `locate` answers None for a span of which one byte was rewritten or came apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grammar_ops.edit import Edit, Span, order_edits

Pieces = tuple[tuple[int, int, int], ...]
"""Surviving pieces: (start before, start after, length), ascending and disjoint on both sides."""


class Origin(NamedTuple):
    """Where a run of bytes came from: its place in the base of a file, and where it stands."""

    path: str
    base: int
    start: int
    length: int


class Mark(NamedTuple):
    """The name of a tracked span of one ledger."""

    number: int


class _Piece(NamedTuple):
    start: int
    length: int
    base: int
    """Offset in the base, -1 for inserted text."""
    op: int
    path: str = ""
    """The file whose base this is, "" for the ledger's own."""

    @property
    def own(self) -> bool:
        """Whether these are bytes of the ledger's own base, in their order."""
        return self.base >= 0 and not self.path

    def cut(self, start: int, end: int) -> _Piece:
        base = self.base + start - self.start if self.base >= 0 else -1
        return _Piece(start, end - start, base, self.op, self.path)


class Ledger:
    """One file while it is edited: base bytes, current bytes, what became of each base byte."""

    def __init__(self, base: bytes) -> None:
        self.base = base
        self.text = base
        self._pieces = [_Piece(0, len(base), 0, -1)] if base else []
        self._marks: list[Span | None] = []

    def splice(self, span: Span, text: bytes, op: int) -> None:
        """Replace `span` of the current text by `text`, written by op number `op`."""
        self.apply([Edit("", span, text)], op)

    def apply(self, edits: Sequence[Edit], op: int) -> list[Span]:
        """Apply one plan's edits of this file at once; where each text stands, in their order."""
        order = order_edits([edit.span for edit in edits])
        changes = [(edits[index].span, edits[index].text or b"") for index in order]
        for span, _ in changes:
            if not 0 <= span.start <= span.end <= len(self.text):
                raise ValueError(f"span {span} is outside the text of {len(self.text)} bytes")
        self._pieces = _rewrite(self._pieces, changes, op)
        spans, parts, at, shift = [Span(0, 0)] * len(edits), [], 0, 0
        for index, (span, text) in zip(order, changes, strict=True):
            start = span.start + shift
            moved = Span(start, span.end + shift)
            self._marks = [mark and _move_span(mark, moved, len(text)) for mark in self._marks]
            spans[index] = Span(start, start + len(text))
            parts += [self.text[at : span.start], text]
            at, shift = span.end, shift + len(text) - (span.end - span.start)
        self.text = b"".join([*parts, self.text[at:]])
        return spans

    def locate(self, span: Span) -> Span | None:
        """Where a span of the base stands now; None when it was rewritten or split.

        An empty span is a place: it stays with the byte after it, else with the byte before.
        """
        if span.start == span.end:
            return self._locate_place(span.start)
        for piece in self._pieces:
            if piece.own and piece.base <= span.start < piece.base + piece.length:
                if span.end > piece.base + piece.length:
                    return None
                shift = piece.start - piece.base
                return Span(span.start + shift, span.end + shift)
        return None

    def _locate_place(self, at: int) -> Span | None:
        ends = None
        for piece in self._pieces:
            if not piece.own:
                continue
            place = piece.start + at - piece.base
            if piece.base <= at < piece.base + piece.length:
                return Span(place, place)
            if at == piece.base + piece.length:
                ends = Span(place, place)
        if ends is None and not self.base:
            return Span(0, 0)
        return ends

    def mark(self, span: Span) -> Mark:
        """Track a span of the current text through later splices."""
        self._marks.append(span)
        return Mark(len(self._marks) - 1)

    def where(self, mark: Mark) -> Span | None:
        """Where a tracked span stands now; None once it was deleted or cut into."""
        return self._marks[mark.number]

    def marks_within(self, span: Span) -> list[tuple[Mark, Span]]:
        """The tracked spans inside of a span of the current text, relative to its start."""
        return [
            (Mark(number), Span(mark.start - span.start, mark.end - span.start))
            for number, mark in enumerate(self._marks)
            if mark is not None and span.contains(mark)
        ]

    def pieces(self) -> Pieces:
        """The surviving pieces of the base."""
        return _merge([(p.base, p.start, p.length) for p in self._pieces if p.own])

    def written(self) -> list[tuple[int, int, int]]:
        """(start, end, op) of the inserted pieces, ascending."""
        return [(p.start, p.start + p.length, p.op) for p in self._pieces if not p.own]

    def origins(self, path: str, span: Span) -> list[Origin]:
        """Where the bytes of a span of the current text came from, places relative to its start;
        `path` is the ledger's own file."""
        return [
            Origin(p.path or path, p.base, p.start - span.start, p.length)
            for p in self._within(span)
            if p.base >= 0
        ]

    def adopt(self, at: int, origins: Sequence[Origin]) -> None:
        """Note where text that was inserted at `at` of the current text came from."""
        for origin in origins:
            start, end = at + origin.start, at + origin.start + origin.length
            before = self._within(Span(0, start))
            after = self._within(Span(end, len(self.text)))
            ops = [p.op for p in self._within(Span(start, end))]
            piece = _Piece(start, origin.length, origin.base, ops[0], origin.path)
            self._pieces = [*before, piece, *after]

    def adopted(self) -> list[Origin]:
        """The pieces that came from elsewhere, ascending."""
        return [Origin(p.path, p.base, p.start, p.length) for p in self._pieces if p.path]

    def _within(self, span: Span) -> list[_Piece]:
        return [
            piece.cut(max(piece.start, span.start), min(piece.start + piece.length, span.end))
            for piece in self._pieces
            if piece.start < span.end and span.start < piece.start + piece.length
        ]


def compose(first: Pieces, second: Pieces) -> Pieces:
    """The pieces from the text before `first` to the text after `second`."""
    out, index = [], 0
    for middle, after, length in second:
        while index < len(first) and first[index][1] + first[index][2] <= middle:
            index += 1
        for before, start, size in first[index:]:
            if start >= middle + length:
                break
            low, high = max(start, middle), min(start + size, middle + length)
            out.append((before + low - start, after + low - middle, high - low))
    return _merge(out)


def _merge(pieces: list[tuple[int, int, int]]) -> Pieces:
    out: list[tuple[int, int, int]] = []
    for base, start, length in pieces:
        if out and out[-1][0] + out[-1][2] == base and out[-1][1] + out[-1][2] == start:
            out[-1] = (out[-1][0], out[-1][1], out[-1][2] + length)
        elif length:
            out.append((base, start, length))
    return tuple(out)


def _rewrite(
    pieces: Sequence[_Piece], changes: Sequence[tuple[Span, bytes]], op: int
) -> list[_Piece]:
    """The pieces after ascending replacements, in one walk over both."""
    out: list[_Piece] = []
    index, at, shift = 0, 0, 0
    size = pieces[-1].start + pieces[-1].length if pieces else 0
    for span, text in (*changes, (Span(size, size), b"")):
        while index < len(pieces) and pieces[index].start < span.start:
            piece = pieces[index]
            end = piece.start + piece.length
            start, stop = max(piece.start, at), min(end, span.start)
            if start < stop:
                cut = piece.cut(start, stop)
                _append(out, cut._replace(start=cut.start + shift))
            if end > span.start:
                break
            index += 1
        if text:
            out.append(_Piece(span.start + shift, len(text), -1, op))
        at, shift = span.end, shift + len(text) - (span.end - span.start)
    return out


def _append(out: list[_Piece], piece: _Piece) -> None:
    """Add a piece; two neighbours of the base that meet again are one."""
    last = out[-1] if out else None
    joins = last and last.own and piece.own
    if last and joins and last.base + last.length == piece.base:
        out[-1] = last._replace(length=last.length + piece.length)
    else:
        out.append(piece)


def _move_span(mark: Span, span: Span, length: int) -> Span | None:
    """A mark after a splice: text put at its edges stays outside, an exact replacement is it."""
    grow = length - (span.end - span.start)
    if mark == span and mark.start < mark.end:
        return Span(span.start, span.start + length) if length else None
    if span.end <= mark.start:
        return Span(mark.start + grow, mark.end + grow)
    if span.start >= mark.end:
        return mark
    if mark.contains(span):
        return Span(mark.start, mark.end + grow)
    return None
