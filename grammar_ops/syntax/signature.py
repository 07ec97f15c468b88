"""Signatures and calls as they stand: parameters, the names they give, the call of a reference."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node, Tree

from grammar_ops.edit import Span
from grammar_ops.syntax import nodes, slots


class Param(NamedTuple):
    """One parameter declaration: the names it gives (none = unnamed), whether it is variadic."""

    names: tuple[str, ...]
    variadic: bool
    node: Node


class Call(NamedTuple):
    """A call: its argument nodes and its parentheses."""

    node: Node
    args: tuple[Node, ...]
    opening: Node
    closing: Node


def list_params(function: Node, src: bytes, field: str = "parameters") -> list[Param]:
    """The parameter declarations of a function; `field` may be result or receiver."""
    found = nodes.find_field(function, field)
    if found is None or found.type != nodes.PARAMS:
        return []
    return [
        Param(
            tuple(nodes.text_of(src, name) for name in nodes.name_nodes(node)),
            nodes.is_variadic(node),
            node,
        )
        for node in nodes.elements(found)
    ]


def scope_names(function: Node, src: bytes) -> dict[str, int]:
    """The names that share the body's scope: receiver, parameters, results; with their offsets."""
    found: dict[str, int] = {}
    for field in ("receiver", "parameters", "result"):
        for param in list_params(function, src, field):
            for name in nodes.name_nodes(param.node):
                found[nodes.text_of(src, name)] = name.start_byte
    return found


def signature_tokens(function: Node, src: bytes) -> list[str]:
    """The tokens from `func` to the body, comments and layout left out: what a signature says."""
    body = nodes.find_field(function, "body")
    end = body.start_byte if body else function.end_byte
    leaves = (n for n in nodes.descendants(function) if not n.children and n.end_byte <= end)
    found = [nodes.text_of(src, n) for n in leaves if n.type != nodes.COMMENT]
    # A comma before the closing parenthesis is layout.
    return [t for i, t in enumerate(found) if not (t == "," and found[i + 1 : i + 2] == [")"])]


def find_call(tree: Tree, span: Span) -> Call | None:
    """The call whose callee ends in the identifier at `span`; None when it is none, or unclear."""
    node = tree.root_node.named_descendant_for_byte_range(span.start, span.end)
    if node is None or nodes.span_of(node) != span:
        return None
    while node.parent is not None and slots.is_callee_part(node, node.parent):
        node = node.parent
    call = node.parent
    if call is None or not slots.is_call(call) or slots.callee_of(call) != node or call.has_error:
        return None
    inner = nodes.find_field(call, "arguments") or call
    opening = next(c for c in reversed(inner.children) if c.type == "(" and _opens(c, node))
    args = [c for c in nodes.elements(inner) if c.start_byte >= opening.end_byte]
    return Call(call, tuple(args), opening, inner.children[-1])


def _opens(paren: Node, callee: Node) -> bool:
    return paren.start_byte >= callee.end_byte
