"""Composite literals: their elements and keys, and the fields of the structs that they are made of.

Invariant: with `nodes` and `slots` the only file that names raw node kinds.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.syntax import nodes

_BODY = "literal_value"
_KEYED = "keyed_element"
_WRAPPED = "literal_element"
_MAP = "map_type"
_LISTS = frozenset({"slice_type", "array_type", "implicit_length_array_type"})
_STRUCT = "struct_type"


class Element(NamedTuple):
    """One element of a literal: its node in the list, its key (None for none), its value."""

    node: Node
    key: Node | None
    value: Node


class StructField(NamedTuple):
    """A field of a struct: its name and its type."""

    name: str
    type: str


def find_body(literal: Node) -> Node | None:
    """The braces of a composite literal, of a pointer to one, or of one without its type."""
    if literal.type == _BODY:
        return literal
    if literal.type == nodes.UNARY:
        operand = nodes.find_field(literal, "operand")
        return find_body(operand) if operand is not None else None
    return nodes.find_field(literal, "body") if literal.type == nodes.COMPOSITE else None


def list_elements(body: Node) -> list[Element]:
    """The elements between the braces."""
    found = []
    for node in nodes.elements(body):
        if node.type == _KEYED:
            parts = nodes.elements(node)
            found.append(Element(node, _bare(parts[0]), _bare(parts[-1])))
        else:
            found.append(Element(node, None, _bare(node)))
    return found


def _bare(node: Node) -> Node:
    return nodes.elements(node)[0] if node.type == _WRAPPED else node


def is_map(type_: Node) -> bool:
    """Whether a type is that of a map."""
    return type_.type == _MAP


def element_type(type_: Node) -> Node | None:
    """The type of the elements of a list or map, without a pointer; None for another type."""
    if type_.type == _MAP:
        found = nodes.find_field(type_, "value")
    else:
        found = nodes.find_field(type_, "element") if type_.type in _LISTS else None
    if found is not None and found.type == "pointer_type":
        return nodes.elements(found)[0]
    return found


def named_type(type_: Node) -> Node | None:
    """The name of a type that has one of its own package, type arguments aside."""
    if type_.type == "generic_type":
        type_ = nodes.find_field(type_, "type") or type_
    return type_ if type_.type == "type_identifier" else None


def struct_fields(type_: Node, src: bytes) -> list[StructField] | None:
    """The fields of a struct type in order; None for another type."""
    if type_.type != _STRUCT:
        return None
    found = []
    listed = [field for body in nodes.elements(type_) for field in nodes.elements(body)]
    for node in (field for field in listed if field.type == nodes.FIELD):
        of = nodes.find_field(node, "type")
        text = nodes.text_of(src, of) if of is not None else ""
        names = nodes.name_nodes(node)
        if not names:  # only an embedded field is called by its type
            embedded = nodes.embedded_name(node)
            names = [embedded] if embedded is not None else []
        found += [StructField(nodes.text_of(src, name), text) for name in names]
    return found


def string_value(node: Node, src: bytes) -> str | None:
    """What a string literal says, None for another expression."""
    text = nodes.text_of(src, node)
    if nodes.is_raw_string(node):
        return text[1:-1]
    if node.type != "interpreted_string_literal":
        return None
    try:
        return str(json.loads(text))
    except ValueError:  # an escape that JSON does not have
        return text[1:-1]
