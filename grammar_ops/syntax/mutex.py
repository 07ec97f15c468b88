"""Guarding methods by a mutex: their lock statements, the field, and where that would deadlock.

Invariant: a method that holds the mutex reaches no other that takes it, as far as syntax shows by
calls on the receiver; every way out of what is guarded unlocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Finding, Reject
from grammar_ops.scope import Scope, Target
from grammar_ops.syntax import flow, nodes, slots, structs
from grammar_ops.syntax.decls import Decl, list_decls
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.layout import place_stmt
from grammar_ops.syntax.nodes import find_field
from grammar_ops.syntax.rewrite import gather
from grammar_ops.syntax.signature import list_params, scope_names
from grammar_ops.syntax.stmts import list_handles
from grammar_ops.syntax.typefacts import qualify
from grammar_ops.syntax.wrap import find_siblings


class Method(NamedTuple):
    """A method of the guarded type with its receiver."""

    decl: Decl
    src: bytes
    receiver: str
    """Its name, "" for none."""
    pointer: bool

    @property
    def body(self) -> Node | None:
        """The block, None for a method that is declared without."""
        return find_field(self.decl.node, "body")


def list_methods(scope: Scope, pkg: str, owner: str) -> list[Method]:
    """The methods of a type in the files of its package that are no tests, in order."""
    info = scope.find_package(pkg)
    found = []
    for path, role in info.files if info is not None else ():
        src = scope.source(path)
        if role not in ("go", "cgo") or owner.encode() not in src:
            continue
        for decl in list_decls(scope.tree(path), src, path):
            if decl.kind == "method" and decl.sym.partition(".")[0] == owner:
                found.append(_method(decl, src))
    return found


def _method(decl: Decl, src: bytes) -> Method:
    receiver = find_field(decl.node, "receiver")
    text = nodes.text_of(src, receiver) if receiver is not None else ""
    params = list_params(decl.node, src, "receiver")
    name = params[0].names[0] if params and params[0].names else ""
    return Method(decl, src, "" if name == "_" else name, "*" in text)


def refuse_value_receivers(methods: Sequence[Method]) -> None:
    """Reject methods that would lock, or carry about, a copy of the mutex."""
    wrong = [m for m in methods if not m.pointer]
    if wrong:
        at = tuple(_point(m, m.decl.node, m.decl.sym) for m in wrong)
        raise Reject("mutex_needs_pointer", ", ".join(m.decl.sym for m in wrong), diagnostics=at)


def refuse_deadlocks(
    methods: Sequence[Method], guarded: Sequence[Method], regions: Sequence[Node], field: str
) -> None:
    """Reject calls in guarded statements that come to a method which takes the mutex as well."""
    locking = {m.decl.sym for m in guarded} | {m.decl.sym for m in methods if locks(m, field)}
    by_name = {m.decl.name: m for m in methods}
    found: list[Finding] = []
    for method, region in zip(guarded, regions, strict=True):
        for name, node in _own_calls(method, region):
            way = _way_to(by_name, locking, name, [])
            if way:
                which = ", which" if len(way) > 1 else ""
                msg = f"{' calls '.join(way)}{which} takes the mutex"
                found.append(_point(method, node, msg))
    if found:
        detail = "the mutex would be taken twice"
        raise Reject("mutex_self_deadlock", detail, diagnostics=tuple(found))


def _way_to(by_name: dict[str, Method], locking: set[str], name: str, seen: list[str]) -> list[str]:
    """The calls from a method on that end in one that takes the mutex, empty for none."""
    method = by_name.get(name)
    if method is None or name in seen:
        return []
    if method.decl.sym in locking:
        return [*seen, name]
    if method.body is not None:
        for inner, _ in _own_calls(method, method.body):
            if way := _way_to(by_name, locking, inner, [*seen, name]):
                return way
    return []


def _own_calls(method: Method, region: Node) -> Iterator[tuple[str, Node]]:
    """(name, callee) of the calls on the receiver in a region; those of a go statement wait."""
    if region.type == "go_statement":
        return
    callee = slots.callee_of(region) if slots.is_call(region) else None
    if callee is not None and callee.type == nodes.SELECTOR and method.receiver:
        operand, name = find_field(callee, "operand"), find_field(callee, "field")
        own = operand is not None and nodes.text_of(method.src, operand) == method.receiver
        if own and name is not None:
            yield nodes.text_of(method.src, name), callee
    for child in region.children:
        yield from _own_calls(method, child)


def locks(method: Method, field: str) -> bool:
    """Whether a method takes the mutex itself."""
    body = method.body
    if body is None or not method.receiver:
        return False
    calls = (f"{method.receiver}.{field}.{verb}(".encode() for verb in ("Lock", "RLock"))
    text = method.src[body.start_byte : body.end_byte]
    return any(call in text for call in calls)


def refuse_ways_out(method: Method, listed: Sequence[Node]) -> bool:
    """Reject statements that leave a guarded range; whether it returns at the end of the body."""
    jumps = [n for n in flow.bound_to_function(listed) if n.type == nodes.RETURN or _jumps(n)]
    whole = method.body is not None and nodes.statements(method.body)[-1] == listed[-1]
    if whole and all(node.type == nodes.RETURN for node in jumps):
        return bool(jumps)
    if jumps:
        at = tuple(_point(method, node, "") for node in jumps)
        raise Reject("leaves_guarded_range", method.decl.sym, diagnostics=at)
    return False


def _jumps(node: Node) -> bool:
    loose = flow.is_branch(node, "break") or flow.is_branch(node, "continue")
    return loose or bool(flow.label_of(node))


def name_receiver(method: Method) -> tuple[str, list[Edit]]:
    """The receiver's name, and the edit that gives it one."""
    if method.receiver:
        return method.receiver, []
    receiver = find_field(method.decl.node, "receiver")
    taken = scope_names(method.decl.node, method.src)
    first = method.decl.sym[:1].lower()
    name = next(n for n in (first, "recv", f"{first}{first}") if n not in taken)
    param = nodes.elements(receiver)[0] if receiver is not None else method.decl.node
    named = nodes.name_nodes(param)
    if named:
        return name, [Edit(method.decl.path, nodes.span_of(named[0]), name.encode())]
    at = param.start_byte
    return name, [Edit(method.decl.path, Span(at, at), f"{name} ".encode())]


def lock_bodies(scope: Scope, guarded: Sequence[Method], field: str, read: bool) -> list[Edit]:
    """The edits that hold the mutex from the first statement of methods to their return."""
    edits = []
    for method in guarded:
        name, named = name_receiver(method)
        body = list_handles(method.decl)["n0"]
        target = Target(method.decl.path, body.node, "block", method.decl)
        written = scope.written(method.decl.path)
        lock, unlock = _statements(name, field, read)
        placed, _ = place_stmt(method.src, target, "first", (lock, f"defer {unlock}"), written)
        edits += [*named, placed]
    return edits


def lock_range(
    scope: Scope, method: Method, ends: tuple[Target, Target], field: str, read: bool
) -> list[Edit]:
    """The edits that hold the mutex while the statements from the first to the last run."""
    listed = find_siblings(*ends)
    name, edits = name_receiver(method)
    written = scope.written(method.decl.path)
    lock, unlock = _statements(name, field, read)
    if refuse_ways_out(method, listed):
        lines = (lock, f"defer {unlock}")
        return [*edits, place_stmt(method.src, ends[0], "before", lines, written)[0]]
    before, _ = place_stmt(method.src, ends[0], "before", (lock,), written)
    after, _ = place_stmt(method.src, ends[1], "after", (unlock,), written)
    return [*edits, before, after]


def _statements(name: str, field: str, read: bool) -> tuple[str, str]:
    prefix = "R" if read else ""
    return f"{name}.{field}.{prefix}Lock()", f"{name}.{field}.{prefix}Unlock()"


def field_edits(scope: Scope, pkg: str, owner: Decl, field: str, read: bool) -> list[Edit]:
    """The edits that give the type its mutex, or one for readers, where it has none."""
    struct = structs.resolve_struct(scope, owner)
    src = scope.source(owner.path)
    known = structs.find_field(struct, field)
    if known is not None:
        type_ = find_field(known.node, "type")
        text = nodes.text_of(src, type_) if type_ is not None else ""
        kind = text.removeprefix("*").rpartition(".")[2]
        if kind not in ("Mutex", "RWMutex"):
            raise Reject("not_a_mutex", f"{known.sym} is a {text}")
        if not read or kind == "RWMutex" or type_ is None:
            return []
        at = type_.end_byte
        return [Edit(owner.path, Span(at - len(kind), at), b"RWMutex")]
    refuse_value_receivers(list_methods(scope, pkg, owner.sym))
    sync, _ = qualify(scope, owner.path, owner.span.start, "sync")
    type_text = f"{sync}.{'RWMutex' if read else 'Mutex'}"
    edits = [structs.insert_field(src, struct, [f"{field} {type_text}"], 0)]
    literals = structs.list_unkeyed(scope, pkg, struct)
    filled = structs.rewrite_literals(scope, literals, 0, f"{type_text}{{}}")
    return [*edits, *gather(filled)[0]]


def _point(method: Method, node: Node, msg: str) -> Finding:
    return point_at(method.src, method.decl.path, node.start_byte, msg)
