"""Where clauses go: the places of a switch or select, by clause.

Invariant: a comment in line with `case` belongs to that clause, a deeper one to the clause above.
"""

from __future__ import annotations

from tree_sitter import Node

from grammar_ops.args import PLACES
from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Reject
from grammar_ops.scope import Target
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.layout import Place, Written, behind_earlier, line_indent, outer_indent


def find_switch(node: Node) -> Node | None:
    """The switch or select that the node is, also under a label, or whose clause it is."""
    inner = nodes.unlabeled(node)
    if inner.type in nodes.CLAUSES and inner.parent is not None:
        inner = inner.parent
    return inner if inner.type in nodes.SWITCHES else None


def place_clause(
    src: bytes, target: Target, where: str, head: str, written: Written
) -> tuple[Edit, Span]:
    """The insertion of an empty clause, and where it stands in the inserted text."""
    node = nodes.unlabeled(target.node)
    beside = node.type in nodes.CLAUSES
    allowed = PLACES[:2] if beside else PLACES[2:]
    where = where or ("after" if beside else "last")
    if where not in allowed:
        raise Reject("unknown_insertion_point", where, did_you_mean=allowed)
    place = _PLACES[where](src, node)
    if where in ("after", "first"):
        switch = node.parent if beside and node.parent is not None else node
        place = behind_earlier(src, place, nodes.clauses(switch), written)
    at, before, after, _ = place
    edit = Edit(target.path, Span(at, at), f"{before}{head}{after}".encode())
    return edit, Span(len(before.encode()), len(f"{before}{head}".encode()))


def _before(src: bytes, clause: Node) -> Place:
    indent, start = line_indent(src, clause.start_byte), docs.doc_start(src, clause)
    if docs.begins_line(src, start):
        return docs.line_start(src, start), indent, "\n", indent
    return clause.start_byte, f"\n{indent}", f"\n{indent}", indent


def _after(src: bytes, clause: Node) -> Place:
    indent = line_indent(src, clause.start_byte)
    tail = nodes.clause_tail(clause)
    end = docs.trailing_end(src, tail)
    for comment in docs.list_below(clause):
        end = comment.end_byte
    return (end if docs.ends_line(src, end) else tail.end_byte), f"\n{indent}", "", indent


def _first(src: bytes, switch: Node) -> Place:
    opening, outer = nodes.brace(switch), outer_indent(src, switch)
    at = docs.trailing_end(src, opening)
    if docs.ends_line(src, at):
        return at, f"\n{outer}", "", outer
    return opening.end_byte, f"\n{outer}", f"\n{outer}", outer


def _last(src: bytes, switch: Node) -> Place:
    closing, outer = switch.children[-1].start_byte, outer_indent(src, switch)
    if docs.begins_line(src, closing):
        return docs.line_start(src, closing), outer, "\n", outer
    return closing, f"\n{outer}", f"\n{outer}", outer


_PLACES = {"before": _before, "after": _after, "first": _first, "last": _last}
