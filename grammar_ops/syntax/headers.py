"""Headers of statements: the condition of an if, for or case, and the slot a statement is about.

Invariant: an edit here replaces or inserts the expression alone; `$N` of the statement stays.
"""

from __future__ import annotations

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.scope import Target
from grammar_ops.syntax import nodes, slots


def cond_edit(target: Target, header: str) -> Edit | None:
    """The edit that sets the condition of an if or for to the text of its header; None for another
    node."""
    node = nodes.inner_statement(target.node) if target.node.type == nodes.LABELED else target.node
    if node is None or target.kind not in ("stmt", "clause"):
        return None
    if node.type not in (nodes.IF, nodes.FOR) or not nodes.is_plain_for(node):
        return None
    cond = dict(slots.list_slots(node)).get("cond")
    if cond is not None:
        return _replace(target, cond, header)
    semicolon = nodes.find_clause_semicolon(node)
    keyword = nodes.find_token(node, "for")
    after = semicolon or keyword
    if after is None:
        return None
    return Edit(target.path, Span(after.end_byte, after.end_byte), f" {header}".encode())


def values_edit(target: Target, text: str) -> Edit:
    """The edit that sets what a case of a switch is for."""
    node = target.node
    values = node.children_by_field_name("value") or node.children_by_field_name("type")
    return Edit(target.path, Span(values[0].start_byte, values[-1].end_byte), text.encode())


def bind_around(node: Node, edit: Edit) -> Span:
    """The range of a node that an edit stands in, relative to the edit's text, after it."""
    grow = len(edit.text or b"") - (edit.span.end - edit.span.start)
    return Span(node.start_byte - edit.span.start, node.end_byte + grow - edit.span.start)


def _replace(target: Target, node: Node, text: str) -> Edit:
    return Edit(target.path, nodes.span_of(node), text.encode())


def main_slot(node: Node) -> Node | None:
    """What a statement is about: a condition, a case's only expression, a whole expression."""
    found = dict(slots.list_slots(node))
    if node.type in (nodes.IF, nodes.FOR):
        return found.get("cond")
    if node.type == nodes.EXPR_CASE:
        return nodes.find_field(node, "value")
    return found.get("x") if node.type == nodes.EXPR_STMT else None


def header_cut(slot: Node) -> Span | None:
    """What goes with the init or post statement of a header; None for another slot."""
    owner = slot.parent
    if owner is None or not slots.is_statement_slot(slot):
        return None
    if owner.type == "for_clause":
        return nodes.span_of(slot)
    after = slot.next_sibling
    if nodes.find_field(owner, "initializer") != slot or after is None:
        return None
    follower = after.next_sibling
    return Span(slot.start_byte, follower.start_byte if follower else after.end_byte)
