"""Wrapping statements: the range of siblings, what the wrapper would cut off, the insertions.

Invariant: the wrapped bytes are not rewritten, so facts, handles and comments inside stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Json, Reject
from grammar_ops.scope import Scope, Target
from grammar_ops.syntax import docs, flow, nodes
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.heads import condition_head
from grammar_ops.syntax.layout import indent_of
from grammar_ops.syntax.stmts import handle_of
from grammar_ops.syntax.typefacts import uses_after


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


def refuse_moved_targets(scope: Scope, path: str, wrapped: Sequence[Node], wrapper: str) -> None:
    """Refuse what would come to speak of the wrapper, with positions: a break of a new loop, a
    return of a new function literal."""
    if wrapper in ("if", "block"):
        return
    loop = wrapper == "for"
    moved = flow.loose_branches(wrapped) if loop else flow.bound_to_function(wrapped)
    if moved:
        src = scope.source(path)
        at = tuple(point_at(src, path, node.start_byte) for node in moved)
        reason = "branch_would_be_captured" if loop else "bound_to_the_literal"
        raise Reject(reason, diagnostics=at)


def refuse_used_outside(scope: Scope, first: Target, wrapped: Sequence[Node]) -> None:
    """Refuse to end the scope of what is used below, naming the uses and the range that would do.

    What a statement below declares is taken along in its turn when that range is looked for.
    """
    end, reach = wrapped[-1].end_byte, wrapped[-1].end_byte
    listed = wrapped[0].parent
    siblings = nodes.elements(listed) if listed is not None else []
    outside: dict[int, str] = {}
    for stmt in siblings:
        if wrapped[0].start_byte <= stmt.start_byte < reach:
            for name in flow.declared_names(stmt):
                uses = [use.start for use, _ in uses_after(scope, first.path, name.start_byte)]
                reach = max([reach, *uses])
                if stmt.end_byte <= end:
                    outside.update((use, (name.text or b"").decode()) for use in uses if use >= end)
    if outside:
        src, last = scope.source(first.path), next(s for s in siblings if s.end_byte >= reach)
        told = ((use, f"{name} is declared in the range") for use, name in outside.items())
        at = tuple(point_at(src, first.path, use, msg) for use, msg in sorted(told))
        facts: dict[str, Json] = {"to": handle_of(first.function, last)}
        raise Reject("used_outside", diagnostics=at, facts=facts)


def wrapper_texts(scope: Scope, wrapper: str, cond: str) -> tuple[str, str]:
    """The texts before and after the statements."""
    if cond:
        return condition_head(scope, wrapper, cond), "}"
    if wrapper == "block":
        return "{", "}"
    return ("func() {" if wrapper == "func" else f"{wrapper} func() {{"), "}()"


def wrap_edits(
    src: bytes, path: str, wrapped: Sequence[Node], head: str, tail: str
) -> tuple[tuple[Edit, Edit], Span]:
    """The insertions of `head` and `tail`, and the new statement's range in the result, relative
    to the first insertion."""
    first, last = wrapped[0], wrapped[-1]
    indent = indent_of(src, first)
    start, end = docs.doc_start(src, first), docs.trailing_end(src, last)
    before, after = f"{head}\n{indent}", f"\n{indent}{tail}"
    at, offset = first.start_byte, 0
    if docs.begins_line(src, start):
        at, offset = docs.line_start(src, start), len(indent)
        before = f"{indent}{head}\n"
    elif tail != "}" and _is_one_line(first):
        before, after = f"{head} ", f" {tail}"
    if not docs.ends_line(src, end):
        end = last.end_byte
    edits = (
        Edit(path, Span(at, at), before.encode()),
        Edit(path, Span(end, end), after.encode()),
    )
    return edits, Span(offset, len(before.encode()) + end - at + len(after.encode()))


def _is_one_line(stmt: Node) -> bool:
    """Whether the block of a statement is on one line, where a literal may stand as well."""
    block = stmt.parent.parent if stmt.parent is not None else None
    return block is not None and block.start_point.row == block.end_point.row
