"""A new parameter of a function: its calls, uses that stand in the way, names that collide.

Invariant: a call that can't be read for certain is a rejection with its position, never skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Json, Reject
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import docs, nodes, slots, uses
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.layout import removal_span
from grammar_ops.syntax.signature import (
    Call,
    argument_edit,
    count_fixed,
    find_call,
    list_params,
    scope_names,
)


class Function(NamedTuple):
    """What call sites depend on: fixed parameters, a variadic one, the receiver's type name."""

    fixed: int
    variadic: bool
    receiver: str


class CallSite(NamedTuple):
    """A call of the function, with the reference that led to it."""

    ref: Ref
    call: Call


def read_function(src: bytes, decl: Decl) -> Function:
    """The shape of a function's parameters."""
    params = list_params(decl.node, src)
    receiver = decl.sym.rpartition(".")[0]
    return Function(count_fixed(params), any(p.variadic for p in params), receiver)


def value_refs(refs: Sequence[Ref]) -> list[Ref]:
    """The uses that are no calls: the function's type is what they need."""
    harmless = uses.CALL_ROLES | uses.SILENT_ROLES | uses.DOC_ROLES
    return [ref for ref in refs if ref.role not in harmless]


def find_calls(scope: Scope, refs: Sequence[Ref], function: Function) -> list[CallSite]:
    """The calls that the references stand in."""
    sites = []
    for ref in refs:
        if ref.role not in uses.CALL_ROLES:
            continue
        call = find_call(scope.tree(ref.path), ref.span)
        if call is None:
            raise uses.reject_at(scope, "call_site_unreadable", ref.encl, [ref])
        sites.append(CallSite(ref, call))
    return sites


def passes_results(scope: Scope, site: CallSite, function: Function) -> bool:
    """Whether the call is `f(g())` with several results of g (spec, Calls)."""
    ref, call = site
    if len(call.args) != 1 or not slots.is_call(call.args[0]):
        return False
    if not function.variadic:
        return function.fixed + _shift(scope, ref, call, function) > 1
    span = nodes.span_of(call.args[0])
    question: dict[str, Json] = {"kind": "type_at", "file": ref.path}
    results = scope.ask({**question, "start": span.start, "end": span.end}).get("results")
    return isinstance(results, list) and len(results) > 1


def _shift(scope: Scope, ref: Ref, call: Call, function: Function) -> int:
    """1 for a method expression `T.M(recv, …)`, whose first argument is the receiver."""
    callee = slots.callee_of(call.node)
    owner = (
        next((n for name, n in slots.list_slots(callee) if name == "x"), None) if callee else None
    )
    if not function.receiver or owner is None:
        return 0
    src = scope.source(ref.path)
    names = [nodes.text_of(src, n) for n in nodes.descendants(owner) if not n.children]
    return int(function.receiver in names and not any(n in names for n in ("{", "[", "&")))


def call_edit(scope: Scope, site: CallSite, function: Function, text: str) -> Edit:
    """The insertion of the new argument into one call."""
    fixed = function.fixed + _shift(scope, site.ref, site.call, function)
    src = scope.source(site.ref.path)
    return argument_edit(src, site.ref.path, site.call, fixed, function.variadic, text)


def promotion_edits(src: bytes, decl: Decl, name: str, default: str) -> list[Edit]:
    """The removal of `name := default` at the top of the body, which the parameter replaces.

    Reject(param_name_collides) for any other declaration of the name in the function's scope.
    """
    taken = scope_names(decl.node, src).get(name) if name != "_" else None
    edits = []
    for at, stmt in _top_declarations(decl, src, name):
        if taken is None and stmt is not None and _assigns(src, stmt, name, default):
            span = Span(stmt.start_byte, docs.trailing_end(src, stmt))
            edits.append(Edit(decl.path, removal_span(src, span), b""))
        else:
            taken = at
    if taken is not None:
        place = point_at(src, decl.path, taken)
        raise Reject("param_name_collides", f"{name} in {decl.sym}", diagnostics=(place,))
    return edits


def _top_declarations(decl: Decl, src: bytes, name: str) -> Iterator[tuple[int, Node | None]]:
    """Where the body's own statements declare `name`, with the statement if it is a `:=` alone."""
    body = nodes.find_field(decl.node, "body")
    for stmt in nodes.statements(body) if body and name != "_" else []:
        if slots.is_assignment(stmt, ":="):
            left = [node for slot, node in slots.list_slots(stmt) if slot.startswith("lhs")]
            if len(left) == 1 and nodes.text_of(src, left[0]) == name:
                yield stmt.start_byte, stmt
        elif stmt.type in nodes.SPEC_DECLS:
            for spec in nodes.list_specs(stmt):
                for node in nodes.name_nodes(spec):
                    if nodes.text_of(src, node) == name:
                        yield node.start_byte, None


def _assigns(src: bytes, stmt: Node, name: str, default: str) -> bool:
    found = nodes.text_of(src, stmt).split()
    return "".join(found) == "".join(f"{name}:={default}".split())
