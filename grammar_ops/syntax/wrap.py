"""Wrapping statements: the range of siblings, what a new loop would capture, the two insertions.

Invariant: the wrapped bytes are not rewritten, so facts, handles and comments inside stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Reject
from grammar_ops.scope import Target
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.layout import indent_of
from grammar_ops.syntax.stmts import handle_of


def find_siblings(first: Target, last: Target) -> list[Node]:
    """The statements from `first` to `last`; Reject(not_ordered_siblings) lists the siblings."""
    start, end = _listed(first.node), _listed(last.node)
    siblings = nodes.elements(start.parent) if start.parent is not None else []
    spans = [nodes.span_of(node) for node in siblings]
    low, high = nodes.span_of(start), nodes.span_of(end)
    if first.kind == last.kind == "stmt" and nodes.is_listed(start) and high in spans:
        found = siblings[spans.index(low) : spans.index(high) + 1]
        if found:
            return found
    names = [handle_of(first.function, node) for node in siblings]
    raise Reject("not_ordered_siblings", ", ".join(name for name in names if name))


def _listed(node: Node) -> Node:
    while nodes.is_labeled_inner(node) and node.parent is not None:
        node = node.parent
    return node


def find_captured(wrapped: Sequence[Node]) -> list[Node]:
    """The break and continue statements that a new loop around `wrapped` would take over."""
    return [branch for node in wrapped for branch in _loose_branches(node, False)]


def _loose_branches(node: Node, in_switch: bool) -> Iterator[Node]:
    """Unlabeled break and continue that leave `node` for a loop or switch around it."""
    if node.type in (nodes.FOR, nodes.FUNC_LIT):
        return
    if nodes.is_branch(node, "continue") or (nodes.is_branch(node, "break") and not in_switch):
        yield node
    inside = in_switch or node.type in nodes.SWITCHES
    for child in node.children:
        yield from _loose_branches(child, inside)


def wrap_edits(
    src: bytes, path: str, wrapped: Sequence[Node], head: str
) -> tuple[tuple[Edit, Edit], Span]:
    """The insertions of `head` and a closing brace, and the new statement's range in the result,
    relative to the first insertion."""
    first, last = wrapped[0], wrapped[-1]
    indent = indent_of(src, first)
    start, end = docs.doc_start(src, first), docs.trailing_end(src, last)
    if docs.begins_line(src, start):
        at, opening, offset = docs.line_start(src, start), f"{indent}{head}\n".encode(), len(indent)
    else:
        at, opening, offset = first.start_byte, f"{head}\n{indent}".encode(), 0
    if not docs.ends_line(src, end):
        end = last.end_byte
    closing = f"\n{indent}}}".encode()
    edits = (Edit(path, Span(at, at), opening), Edit(path, Span(end, end), closing))
    return edits, Span(offset, len(opening) + end - at + len(closing))
