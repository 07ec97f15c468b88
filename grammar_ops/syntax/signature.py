"""Signatures and calls: parameters as they stand, a new one in its place, an argument in a call.

Invariant: only insertions are made, so comments and line breaks inside the parentheses stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node, Tree

from grammar_ops.edit import Edit, Span
from grammar_ops.syntax import docs, nodes, slots
from grammar_ops.syntax.layout import line_indent


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


def count_fixed(params: Sequence[Param]) -> int:
    """How many arguments stand before the variadic ones."""
    return sum(max(1, len(param.names)) for param in params if not param.variadic)


def signature_tokens(function: Node, src: bytes) -> list[str]:
    """The tokens from `func` to the body, comments and layout left out: what a signature says."""
    body = nodes.find_field(function, "body")
    end = body.start_byte if body else function.end_byte
    leaves = (n for n in nodes.descendants(function) if not n.children and n.end_byte <= end)
    found = [nodes.text_of(src, n) for n in leaves if n.type != nodes.COMMENT]
    # A comma before the closing parenthesis is layout.
    return [t for i, t in enumerate(found) if not (t == "," and found[i + 1 : i + 2] == [")"])]


def param_edits(function: Node, src: bytes, path: str, name: str, type_: str) -> list[Edit]:
    """The insertions that add `name type` behind the parameters, before a variadic one."""
    params = list_params(function, src)
    whole = nodes.find_field(function, "parameters")
    if whole is None:
        return []
    edits = [
        Edit(path, Span(p.node.start_byte, p.node.start_byte), b"_ ")
        for p in params
        if not p.names
    ]  # fmt: skip
    elements = [param.node for param in params]
    before = len(elements) - 1 if params and params[-1].variadic else len(elements)
    closing = whole.children[-1]
    return [*edits, insert_element(src, path, elements, closing, before, f"{name} {type_}")]


def insert_element(
    src: bytes, path: str, elements: Sequence[Node], closing: Node, index: int, text: str
) -> Edit:
    """The insertion of `text` as element `index` of a parenthesised list that ends at `closing`.

    A list with an element on each line gets a line more, below the comment of the line above.
    """
    if index < len(elements):
        at, text = elements[index].start_byte, f"{text}, "
        if docs.begins_line(src, at):
            text = f"{text[:-1]}\n{line_indent(src, at)}"
    elif not elements:
        at = closing.start_byte
    else:
        last = elements[-1]
        comma = nodes.find_comma(last)
        at, text = last.end_byte, f", {text}"
        if comma is not None:
            at, text = comma.end_byte, f" {text[2:]},"
            end = docs.trailing_end(src, comma)
            if docs.ends_line(src, end):
                at, text = end, f"\n{_element_indent(src, last)}{text[1:]}"
    return Edit(path, Span(at, at), text.encode())


def _element_indent(src: bytes, last: Node) -> str:
    if docs.begins_line(src, last.start_byte):
        return line_indent(src, last.start_byte)
    return line_indent(src, last.start_byte) + "\t"


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


def argument_edit(src: bytes, path: str, call: Call, fixed: int, variadic: bool, text: str) -> Edit:
    """The insertion of an argument behind the fixed ones, before those of a variadic parameter."""
    index = fixed if variadic and len(call.args) > fixed else len(call.args)
    return insert_element(src, path, call.args, call.closing, index, text)
