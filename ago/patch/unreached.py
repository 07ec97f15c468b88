"""Statements that an edit leaves without a way to them, as go vet's `unreachable` finds them.

Invariant: only declarations that the edit changed are looked at, and what was unreached before is
not said again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from tree_sitter import Node, Tree

from ago.stages import DraftFile
from grammar_ops.linediff import line_hunks
from grammar_ops.reject import Finding
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.flow import unreached

Read = Callable[[bytes], Tree]


def find_unreached(files: Iterable[DraftFile], read: Read) -> tuple[Finding, ...]:
    """A warning for each statement of the files' new texts that nothing leads to any more."""
    return tuple(found for file in files for found in _find(file, read))


def _find(file: DraftFile, read: Read) -> Iterator[Finding]:
    if file.text is None or not file.path.endswith(".go"):
        return
    hunks = line_hunks(file.base or b"", file.text, file.pieces)
    found = [*_unreached(read, file.text, [(h.new_start, h.new_end) for h in hunks])]
    if not found:
        return
    before = _unreached(read, file.base or b"", [(h.start, h.end) for h in hunks])
    known = Counter(node.text for node in before)
    for node in found:
        if known[node.text]:
            known[node.text] -= 1
        else:
            yield point_at(file.text, file.path, node.start_byte, "unreachable code")


def _unreached(read: Read, src: bytes, lines: list[tuple[int, int]]) -> Iterator[Node]:
    """Unreached statements of the declarations that have one of the 0-based lines."""
    for decl in read(src).root_node.named_children if src else ():
        first, last = decl.start_point[0], decl.end_point[0]
        if any(start <= last and end >= first for start, end in lines):
            yield from unreached(decl)
