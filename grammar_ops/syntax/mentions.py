"""Mentions of a name in a file by syntax alone: which are certainly a package-level object's.

Invariant: certain means that nothing in the file declares the name again; a selected member, a
field or a key is never taken for the package's object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node, Tree

from grammar_ops.edit import Span
from grammar_ops.syntax import nodes

_NAMES = frozenset({"identifier", "type_identifier", "field_identifier", "package_identifier"})
_TOKENS = _NAMES | {"label_name"}
_MEMBERS = frozenset({"field_identifier", "package_identifier"})
_DECLARING = frozenset(
    {
        "parameter_declaration", "variadic_parameter_declaration", "var_spec", "const_spec",
        "type_spec", "type_alias", "function_declaration", "type_parameter_declaration",
        "short_var_declaration", "range_clause", "receive_statement",
        "type_switch_statement", "labeled_statement",
    }
)  # fmt: skip


class Mentions(NamedTuple):
    """Where a name stands for a package-level object, and whether all of them are certain."""

    spans: tuple[Span, ...]
    others: int
    """Mentions as a member, a field or a key."""
    certain: bool


def find_mentions(tree: Tree, src: bytes, name: str) -> Mentions:
    """Every identifier `name` of a file, told apart by what its place allows."""
    found = list(_identifiers(tree.root_node, src, name.encode()))
    own = tuple(nodes.span_of(node) for node in found if not _is_member(node))
    return Mentions(own, len(found) - len(own), not any(_declares(node) for node in found))


def find_selected(tree: Tree, src: bytes, qualifier: str, name: str) -> tuple[Span, ...]:
    """Spans of `name` in `qualifier.name`, the qualifier being a bare identifier."""
    out = []
    for node in _identifiers(tree.root_node, src, name.encode()):
        left = node.prev_named_sibling
        if _is_member(node) and left is not None and nodes.text_of(src, left) == qualifier:
            out.append(nodes.span_of(node))
    return tuple(out)


def find_token_at(tree: Tree, at: int) -> Node | None:
    """The name or label that byte `at` is in, or right behind."""
    for place in (at, at - 1):
        node = tree.root_node.descendant_for_byte_range(max(place, 0), max(place, 0))
        if node is not None and node.type in _TOKENS:
            return node
    return None


def list_tokens(root: Node, src: bytes, name: str) -> list[Node]:
    """Every name below a node that reads `name`, whatever it means."""
    return list(_identifiers(root, src, name.encode()))


def list_declared(root: Node) -> list[Node]:
    """The names that the code below a node declares, locals, members and labels included."""
    found, todo = [], [root]
    while todo:
        node = todo.pop()
        if node.type in _TOKENS and (_declares(node) or _declares_inside(node)):
            found.append(node)
        todo += reversed(node.children)
    return found


def _declares_inside(node: Node) -> bool:
    """Whether the name is a label, a member, the symbol of a type switch, an import's name, or a
    type parameter in a receiver."""
    parent, head = node.parent, node.parent and node.parent.parent
    if parent is None or head is None:
        return False
    if parent.type in ("field_declaration", "method_elem", "method_declaration", "import_spec"):
        return node in parent.children_by_field_name("name")
    if head.type == "type_switch_statement":
        return head.child_by_field_name("alias") == parent
    if parent.type == "type_elem" and head.type == "type_arguments":
        return _is_receiver(head)
    return parent.type == "labeled_statement" and parent.child_by_field_name("label") == node


def _is_receiver(node: Node | None) -> bool:
    while node is not None and node.type != "parameter_list":
        node = node.parent
    method = node.parent if node else None
    return method is not None and method.child_by_field_name("receiver") == node


def _identifiers(root: Node, src: bytes, name: bytes) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in _NAMES and src[node.start_byte : node.end_byte] == name:
            yield node
        todo += reversed(node.children)


def _declares(node: Node) -> bool:
    """Whether the mention declares the name anew (a parameter, a local, a type, an import)."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "expression_list" and parent.parent is not None:
        head = parent.parent
        return head.type in _DECLARING and head.child_by_field_name("left") == parent
    return parent.type in _DECLARING and node in parent.children_by_field_name("name")


def _is_member(node: Node) -> bool:
    parent = node.parent
    if node.type in _MEMBERS or parent is None or parent.type == "qualified_type":
        return True
    # In `T{name: v}` the key is a field or, in a map literal, an expression: syntax can't tell.
    keyed = parent.parent if parent.type == "literal_element" else None
    return keyed is not None and keyed.child_by_field_name("key") == parent
