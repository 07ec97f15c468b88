"""Findings: a byte offset as the position that a rejection names.

Invariant: lines and columns are 1-based bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from grammar_ops.reject import Finding
from grammar_ops.scope import Ref, Scope

LIMIT = 10


def point_at(src: bytes, path: str, at: int, msg: str = "") -> Finding:
    """The position of byte `at` of a file, with a message."""
    line = src.count(b"\n", 0, at) + 1
    return Finding(path, line, at - src.rfind(b"\n", 0, at), msg)


def point_refs(scope: Scope, refs: Iterable[Ref]) -> tuple[Finding, ...]:
    """The positions of the first few references in the files of a draft."""
    return tuple(
        point_at(scope.source(ref.path), ref.path, ref.span.start, _say(ref))
        for ref in islice(refs, LIMIT)
    )


def _say(ref: Ref) -> str:
    """What a reference does, and in which declaration."""
    role = ref.role.replace("_", " ")
    return f"{role} in {ref.encl}" if ref.encl else role
