"""Where statements go: insertion points by node, indentation, and what a deletion takes along.

Invariant: places are found by node, never by line, so several statements on one line are no case of
their own; comments stay with the statement they touch; no blank lines are left over.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from grammar_ops.args import PLACES
from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Target
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.stmts import child_handles, handle_of

register(
    "grammar",
    {
        "unknown_insertion_point": "`where` is before, after, first or last",
        "handle_owns_no_block": "first and last need a node that owns a statement list",
        "not_in_statement_list": "before and after need a statement of a list",
    },
)


Written = Sequence[tuple[int, int, int]]
"""(start, end, op) of the text that earlier ops wrote."""


def place_stmt(
    src: bytes, target: Target, where: str, lines: Sequence[str], written: Written = ()
) -> tuple[Edit, Span]:
    """The insertion of a statement given as lines, and where it stands in the inserted text.

    What earlier ops `written` put at the same place stays before it.
    """
    if where not in PLACES:
        raise Reject("unknown_insertion_point", where, did_you_mean=PLACES)
    if _is_beside(target, where):
        node = _listed_node(target)
        place = (place_before if where == "before" else _after)(src, node)
        siblings = nodes.elements(node.parent) if node.parent is not None else []
    else:
        body = _owned_list(target)
        place = (_first if where == "first" else _last)(src, body)
        siblings = nodes.statements(body)
    if where in ("after", "first"):
        place = behind_earlier(src, place, siblings, written)
    at, head, tail, indent = place
    text = f"\n{indent}".join(lines).encode()
    edit = Edit(target.path, Span(at, at), head.encode() + text + tail.encode())
    return edit, Span(len(head.encode()), len(head.encode()) + len(text))


def find_block(target: Target, where: str) -> Node:
    """The block or clause in which a statement put at a place stands."""
    if not _is_beside(target, where):
        return _owned_list(target)
    listed = _listed_node(target).parent
    return listed.parent if listed is not None and listed.parent is not None else target.node


def _is_beside(target: Target, where: str) -> bool:
    """Whether the place is in the list of the target; behind a clause means at its end."""
    return where == "before" or (where == "after" and target.kind != "clause")


def _listed_node(target: Target) -> Node:
    """The target as an element of a statement list; a labeled statement is one with its label."""
    node = target.node
    while nodes.is_labeled_inner(node) and node.parent is not None:
        node = node.parent
    if target.kind == "stmt" and nodes.is_listed(node):
        return node
    name = handle_of(target.function, target.node)
    near = ("first", "last") if target.kind in ("clause", "block") else ()
    raise Reject("not_in_statement_list", f"{name or 'the slot'}", did_you_mean=near)


def _owned_list(target: Target) -> Node:
    """The block or clause that the target owns."""
    body = nodes.find_body(target.node)
    if body is not None and (target.kind != "slot" or nodes.is_block(body)):
        return body
    near = child_handles(target.function, target.node)[:3]
    name = handle_of(target.function, target.node) or "the slot"
    raise Reject("handle_owns_no_block", name, did_you_mean=tuple(near))


Place = tuple[int, str, str, str]
"""Offset, what goes before and after the new text, its indentation."""


def behind_earlier(src: bytes, place: Place, siblings: Sequence[Node], written: Written) -> Place:
    """The place behind the statements that earlier ops inserted at `place`."""
    end = place[0]
    for start, stop, _ in sorted(written):
        end = stop if start == end else end
    mine = [s for s in siblings if place[0] <= s.start_byte and s.end_byte <= end]
    return _after(src, mine[-1]) if mine else place


def place_before(src: bytes, node: Node) -> Place:
    """The place before a statement of a list and the comments above it."""
    start, indent = docs.doc_start(src, node), indent_of(src, node)
    if docs.begins_line(src, start):
        return docs.line_start(src, start), indent, "\n", indent
    return node.start_byte, f"\n{indent}", f"\n{indent}", indent


def _after(src: bytes, node: Node) -> Place:
    indent = indent_of(src, node)
    end = docs.trailing_end(src, node)
    return (end if docs.ends_line(src, end) else node.end_byte), f"\n{indent}", "", indent


def _first(src: bytes, body: Node) -> Place:
    opening = nodes.clause_colon(body) if body.type in nodes.CLAUSES else body.children[0]
    outer, indent = outer_indent(src, body), inner_indent(src, body)
    at = docs.trailing_end(src, opening)
    if docs.ends_line(src, at):
        return at, f"\n{indent}", "", indent
    tail = indent if nodes.statements(body) else outer
    return opening.end_byte, f"\n{indent}", f"\n{tail}", indent


def _last(src: bytes, body: Node) -> Place:
    listed = nodes.statements(body)
    if listed and nodes.is_fallthrough(listed[-1]):
        return place_before(src, listed[-1])
    if body.type in nodes.CLAUSES:
        return _after(src, listed[-1]) if listed else _first(src, body)
    outer, indent = outer_indent(src, body), inner_indent(src, body)
    closing = body.children[-1].start_byte
    if docs.begins_line(src, closing):
        return docs.line_start(src, closing), indent, "\n", indent
    return closing, f"\n{indent}", f"\n{outer}", indent


def line_indent(src: bytes, at: int) -> str:
    """The white space that the line of byte `at` begins with."""
    line = src[docs.line_start(src, at) : docs.line_end(src, at)]
    return line[: len(line) - len(line.lstrip())].decode()


def indent_of(src: bytes, node: Node) -> str:
    """The indentation that a statement of a list has, or should have."""
    if docs.begins_line(src, node.start_byte):
        return line_indent(src, node.start_byte)
    owner = node.parent.parent if node.parent is not None else None
    return inner_indent(src, owner) if owner is not None else ""


def inner_indent(src: bytes, body: Node) -> str:
    """The indentation of the statements in a block or clause."""
    for stmt in nodes.statements(body):
        if docs.begins_line(src, stmt.start_byte):
            return line_indent(src, stmt.start_byte)
    return outer_indent(src, body) + "\t"


def outer_indent(src: bytes, body: Node) -> str:
    """The indentation of what owns a block or clause."""
    closing = body.children[-1].start_byte
    if body.type not in nodes.CLAUSES and docs.begins_line(src, closing):
        return line_indent(src, closing)
    own = nodes.SWITCHES | nodes.CLAUSES
    owner = body if body.type in own or body.parent is None else body.parent
    return line_indent(src, owner.start_byte)


def removal_span(src: bytes, span: Span) -> Span:
    """What goes when `span` is deleted: whole lines where it fills them, and a blank line that
    would be left double, or at the edge of a block."""
    if not (docs.begins_line(src, span.start) and docs.ends_line(src, span.end)):
        return _inline_removal(src, span)
    start, end = docs.line_start(src, span.start), docs.next_line(src, span.end)
    before, after = src[:start], src[end:]
    opens = not before.strip() or before.rstrip()[-1:] in (b"{", b"(")
    if blank_head(after) and (blank_tail(before) or opens):
        end += blank_head(after)
    elif blank_tail(before) and (not after.strip() or after.lstrip()[:1] in (b"}", b")")):
        start -= blank_tail(before)
    return Span(start, end)


def _inline_removal(src: bytes, span: Span) -> Span:
    line = src[span.end : docs.line_end(src, span.end)]
    if line.lstrip().startswith(b";"):
        rest = line.lstrip()[1:].lstrip()
        return Span(span.start, span.end + len(line) - len(rest))
    head = src[: span.start].rstrip()
    return Span(len(head) - 1, span.end) if head.endswith(b";") else span


def blank_head(text: bytes) -> int:
    """The length of the blank lines that `text` begins with."""
    at = 0
    while (end := text.find(b"\n", at)) >= 0 and not text[at:end].strip():
        at = end + 1
    return at


def blank_tail(text: bytes) -> int:
    """The length of the blank lines that `text` ends with; it ends at the start of a line."""
    at = len(text)
    while at > 0:
        start = text.rfind(b"\n", 0, at - 1) + 1
        if text[start:at].strip():
            break
        at = start
    return len(text) - at
