"""Takers: the statements around calls, and the places that they have for the results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Carried
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.callsites import CallSite
from grammar_ops.syntax.giving import Giving
from grammar_ops.syntax.lists import Item, read_bare, rewrite_list
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import read_results

FunctionAt = tuple[str, int]
"""(path, offset) of a function's declaration."""


class Taker(NamedTuple):
    """What takes the results of a call."""

    node: Node
    kind: str
    """drop, return, places, or value for an expression around it."""
    places: tuple[Node, ...] = ()
    typed: bool = False
    """Whether one type is said for all places."""


def find_taker(call: Node) -> Taker:
    """What takes the results of a call; parentheses count for nothing."""
    node = call
    while node.parent is not None and node.parent.type == nodes.PAREN:
        node = node.parent
    parent = node.parent
    if parent is not None and parent.type in (nodes.EXPR_STMT, "go_statement", "defer_statement"):
        return Taker(parent, "drop")
    alone = parent is not None and slots.list_brackets(parent) == ""
    if parent is None or not alone or len(nodes.elements(parent)) != 1:
        return Taker(call, "value")
    return _find_statement(parent) or Taker(call, "value")


def _find_statement(right: Node) -> Taker | None:
    """The statement whose only right side is the call."""
    stmt = right.parent
    if stmt is None:
        return None
    if stmt.type == nodes.RETURN:
        return Taker(stmt, "return")
    if nodes.SPECS.get(stmt.type) == "var":
        typed = nodes.find_field(stmt, "type") is not None
        return Taker(stmt, "places", tuple(nodes.name_nodes(stmt)), typed)
    if slots.is_assignment(stmt, "=") or slots.is_assignment(stmt, ":="):
        left = slots.find_whole(stmt, "lhs")
        return Taker(stmt, "places", tuple(nodes.elements(left))) if left else None
    return None


def can_take(scope: Scope, site: CallSite, giving: Giving, own: Collection[FunctionAt]) -> bool:
    """Whether what takes the results of a call can take them as they will be, or be made to.

    A return of one of the functions in `own` gives on what it takes.
    """
    taker, count = find_taker(site.call.node), len(giving.sources)
    if taker.kind == "return":
        outer = _function_around(taker.node)
        if outer is None or (site.ref.path, outer.start_byte) in own:
            return True
        given = len(read_results(outer, scope.source(site.ref.path)))
        return given == count != giving.before
    if taker.kind != "places":
        return taker.kind == "drop"
    if len(taker.places) != giving.before:
        return len(taker.places) == count
    if taker.typed and None in giving.sources:
        return False
    blank = all(taker.places[i].text == b"_" for i in giving.gone)
    return blank and (count > 0 or slots.is_assignment(taker.node, "="))


def _function_around(node: Node) -> Node | None:
    outer = node.parent
    while outer is not None and outer.type not in nodes.FUNC_DECLS | {nodes.FUNC_LIT}:
        outer = outer.parent
    return outer


def rewrite_taker(rewrite: Rewrite, call: Node, giving: Giving) -> bool:
    """Give the statement around a call a place for each result; whether it has others now."""
    taker = find_taker(call)
    if taker.kind != "places" or len(taker.places) != giving.before:
        return False
    right = nodes.find_field(taker.node, "right")
    if not giving.sources and right is not None:
        rewrite.cut(Span(taker.node.start_byte, right.start_byte))
        return True
    items = [Item(s, None if s is not None else "_") for s in giving.sources]
    rewrite_list(rewrite, read_bare(taker.places), items)
    return True


def carry_places(edits: Sequence[Edit], site: CallSite, giving: Giving) -> Iterator[Carried]:
    """The names that have changed places: the variables are the ones they were."""
    taker = find_taker(site.call.node)
    kept = [source for source in giving.sources if source is not None]
    if taker.kind != "places" or len(taker.places) != giving.before:
        return
    for place, source in zip(sorted(kept), kept, strict=True):
        span = nodes.span_of(taker.places[place])
        same = (i for i, e in enumerate(edits) if (e.path, e.span) == (site.ref.path, span))
        if place != source and (at := next(same, None)) is not None:
            yield Carried(at, 0, site.ref.path, nodes.span_of(taker.places[source]))
