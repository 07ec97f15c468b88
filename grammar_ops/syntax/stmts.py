"""Statement handles and slots: one numbering of a function's statements, for views and ops alike.

Invariant: handles number all statements in preorder, those in clauses, labels and function literals
included; clauses and else blocks count; `n0` is the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.near import LIMIT, near_names
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Target
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.decls import Decl, resolve_body

register(
    "grammar",
    {
        "unknown_handle": "no statement or slot of the function has this handle",
        "unknown_ref": "`$N` names no earlier op of the patch that made something",
    },
)

BODY = "n0"
_HANDLE = re.compile(r"(n\d+)((?:\.[a-z]+(?:\[\d+\])?)*)")


class Handle(NamedTuple):
    """A named node of a function: `kind` is stmt, clause, block or slot."""

    name: str
    node: Node
    kind: str


def list_handles(decl: Decl) -> dict[str, Handle]:
    """All handles of a function by name, `n0` first; empty for what has no body."""
    if decl.body_span is None:
        return {}
    body = resolve_body(decl)
    found = {BODY: Handle(BODY, body, "block")}
    for number, (node, kind) in enumerate(nodes.list_handled(body), 1):
        found[f"n{number}"] = Handle(f"n{number}", node, kind)
    return found


def list_slots(node: Node, name: str) -> Iterator[tuple[str, Node]]:
    """All expression slots of a handle, nested ones after their owner, as (full name, node)."""
    for slot, inner in slots.list_slots(node):
        yield f"{name}.{slot}", inner
        yield from list_slots(inner, f"{name}.{slot}")


def find_target(decl: Decl, at: str) -> Target:
    """The node that a handle names; Reject(unknown_handle) with near handles."""
    resolve_body(decl)
    handles = list_handles(decl)
    match = _HANDLE.fullmatch(at)
    handle = handles.get(match[1]) if match else None
    if match is None or handle is None:
        near = near_names(at, handles) or tuple(handles)[:LIMIT]
        raise Reject("unknown_handle", f"{at} in {decl.sym}", did_you_mean=near)
    if not match[2]:
        return Target(decl.path, handle.node, handle.kind, decl)
    node = _find_slot(decl, handle, match[2][1:])
    kind = next((h.kind for h in handles.values() if h.node == node), "slot")
    return Target(decl.path, node, kind, decl)


def _find_slot(decl: Decl, handle: Handle, path: str) -> Node:
    name, node = handle.name, handle.node
    for part in path.split("."):
        inner = {**dict(slots.list_slots(node)), **slots.list_blocks(node)}
        whole = None if part in inner else slots.find_whole(node, part)
        if whole is not None:
            inner[part] = whole
        if part not in inner:
            near = near_names(part.partition("[")[0], inner) or tuple(inner)[:LIMIT]
            raise Reject(
                "unknown_handle", f"{name}.{part} in {decl.sym}",
                did_you_mean=tuple(f"{name}.{slot}" for slot in near),
            )  # fmt: skip
        name, node = f"{name}.{part}", inner[part]
    return node


def target_at(decl: Decl, span: Span) -> Target | None:
    """The statement, clause or block that covers exactly `span`, else the expression that does."""
    for handle in list_handles(decl).values():
        if stands_at(handle, span):
            return Target(decl.path, handle.node, handle.kind, decl)
    node = decl.node.named_descendant_for_byte_range(span.start, span.end)
    if node is None or nodes.span_of(node) != span:
        return None
    return Target(decl.path, node, "slot", decl)


def stands_at(handle: Handle, span: Span) -> bool:
    """Whether a handle's node is what stood at a span, perhaps longer by now.

    A clause has no closing token, and an if may have got an else: they grow at their end.
    """
    here = nodes.span_of(handle.node)
    grows = handle.kind == "clause" or nodes.unlabeled(handle.node).type == nodes.IF
    return here == span or (grows and here.start == span.start)


def handle_of(decl: Decl, node: Node) -> str:
    """The handle name of a node, "" when it has none."""
    return next((h.name for h in list_handles(decl).values() if h.node == node), "")


def child_handles(decl: Decl, node: Node) -> list[str]:
    """The handles of the statements and clauses strictly inside a node, in order."""
    outer = nodes.span_of(node)
    return [
        handle.name
        for handle in list_handles(decl).values()
        if handle.node != node and outer.contains(nodes.span_of(handle.node))
    ]
