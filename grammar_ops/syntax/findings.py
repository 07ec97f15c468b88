"""Findings: a byte offset as the position that a rejection names.

Invariant: lines and columns are 1-based bytes.
"""

from __future__ import annotations

from collections.abc import Iterable

from grammar_ops.edit import Span
from grammar_ops.reject import Finding
from grammar_ops.scope import Scope

LIMIT = 10


def point_at(src: bytes, path: str, at: int, msg: str = "") -> Finding:
    """The position of byte `at` of a file, with a message."""
    line = src.count(b"\n", 0, at) + 1
    return Finding(path, line, at - src.rfind(b"\n", 0, at), msg)


def point_all(scope: Scope, places: Iterable[tuple[str, Span]]) -> tuple[Finding, ...]:
    """The first positions of spans in the files of a draft."""
    first = list(places)[:LIMIT]
    return tuple(point_at(scope.source(path), path, span.start) for path, span in first)
