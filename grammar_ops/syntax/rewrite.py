"""Rewrite: the edits of one file while they are gathered, so that text may move with its edits.

Invariant: edits never overlap; a text that is taken or cut takes the edits inside it along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from grammar_ops.edit import Edit, Span, apply_edits
from grammar_ops.op import ImportWish

_TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"|`[^`]*`|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*|\.\.\.|<-|\w+|\S', re.DOTALL
)


class Rewrite:
    """The gathered edits of one file."""

    def __init__(self, path: str, src: bytes) -> None:
        """No edits yet of the current text of a file."""
        self.path, self.src = path, src
        self.edits: list[Edit] = []
        self.wishes: list[ImportWish] = []

    def replace(self, span: Span, text: bytes) -> None:
        """Put `text` in the place of a span that has no edits in it."""
        self.edits.append(Edit(self.path, span, text))

    def insert(self, at: int, text: bytes) -> None:
        """Put `text` before whatever is put at the same place otherwise."""
        self.edits.insert(0, Edit(self.path, Span(at, at), text))

    def take(self, span: Span) -> bytes:
        """The text of a span with its edits, which are no longer edits of the file."""
        inside = [e for e in self.edits if span.contains(e.span)]
        self.edits = [e for e in self.edits if not span.contains(e.span)]
        moved = [Edit(e.path, _shifted(e.span, -span.start), e.text) for e in inside]
        return apply_edits(self.src[span.start : span.end], moved)

    def cut(self, span: Span, text: bytes = b"") -> None:
        """Replace a span and whatever edits are in it."""
        self.take(span)
        self.replace(span, text)

    def retoken(self, span: Span, text: str) -> None:
        """Make the tokens of a span those of `text`; what both have, and comments, stay."""
        for low, high, new in _token_edits(self.src[span.start : span.end].decode(), text):
            self.replace(Span(span.start + low, span.start + high), new.encode())


def gather(rewrites: Iterable[Rewrite]) -> tuple[tuple[Edit, ...], tuple[ImportWish, ...]]:
    """The edits of several files, and the imports that their texts need."""
    listed = [*rewrites]
    edits = tuple(edit for rewrite in listed for edit in rewrite.edits)
    return edits, tuple(wish for rewrite in listed for wish in rewrite.wishes)


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _token_edits(old: str, new: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, text) in bytes of `old`: the replacements by which its tokens become new."""
    before, after = _tokens(old), _tokens(new)
    matcher = SequenceMatcher(
        None, [t.group() for t in before], [t.group() for t in after], autojunk=False
    )
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if tag == "replace" or not (a or b < len(before)):
            low, high = before[a].start(), before[b - 1].end()
            text = new[after[c].start() : after[d - 1].end()] if d > c else ""
        elif a:
            low, high = before[a - 1].end(), before[b - 1].end()
            text = new[after[c - 1].end() : after[d - 1].end()] if d > c else ""
        else:
            low = high = before[0].start()
            text = new[after[c].start() : after[d].start()] if d > c else ""
            if b > a:
                high = before[b - 1].end()
                high += len(old[high:]) - len(old[high:].lstrip(" \t"))
        yield len(old[:low].encode()), len(old[:high].encode()), text


def _tokens(text: str) -> list[re.Match[str]]:
    return [t for t in _TOKEN.finditer(text) if not t.group().startswith(("//", "/*"))]
