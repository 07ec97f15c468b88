"""Trivia: bytes, comments and directives outside the edited spans are what they were.

Invariant: looks at bytes alone; what an op replaced on purpose is not its concern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ago.checker.checker import Pieces
from ago.protocol.errors import Bug
from ago.stages import Candidate
from grammar_ops.reject import Reject, register
from grammar_ops.syntax.parse import parse

register(
    "gate",
    {"comment_lost": "formatting the edited file would lose a comment"},
)

_SPACE = re.compile(rb"\s+")
_MARKERS = re.compile(rb"[\s/*\-+\xe2\x80\xa2]+")


def prove_trivia(candidate: Candidate) -> None:
    """Check every edited file: surviving pieces are byte-equal, formatting kept all comments."""
    for moved in candidate.moved:
        source, target = candidate.draft.files[moved.source], candidate.files.get(moved.path)
        if target is not None and target.text is not None:
            _prove_pieces(moved.path, source.base or b"", target.text, moved.pieces)
    for path, final in candidate.files.items():
        if final.base is not None and final.text is not None:
            _prove_pieces(path, final.base, final.text, final.pieces)
        drafted = candidate.draft.files.get(path)
        if drafted and drafted.text is not None and final.text != drafted.text:
            _prove_comments(path, drafted.text, final.text)


def _prove_pieces(path: str, base: bytes, text: bytes, pieces: Pieces) -> None:
    for old, new, length in pieces:
        if base[old : old + length] != text[new : new + length]:
            raise Bug(f"{path}: base bytes at {old} are not the bytes at {new}")


def _prove_comments(path: str, before: bytes, after: bytes | None) -> None:
    if after is not None and _SPACE.sub(b"", before) == _SPACE.sub(b"", after):
        return
    # gofmt moves directives to the end of a doc, sorts imports with their comments, and changes
    # white space and list markers inside of comments; it never takes a word from its line.
    if after is None or _words(before) != _words(after):
        raise Reject("comment_lost", path)


def _words(text: bytes) -> list[bytes]:
    lines = (line for comment in _comments(text) for line in comment.splitlines())
    return sorted(filter(None, (_MARKERS.sub(b"", line) for line in lines)))


def _comments(text: bytes) -> Iterable[bytes]:
    cursor = parse(text).walk()
    while True:
        node = cursor.node
        if node is not None and node.type == "comment":
            yield text[node.start_byte : node.end_byte]
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return
