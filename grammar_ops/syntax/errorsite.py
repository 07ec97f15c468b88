"""Where an error is wrapped: the function around it, the statements beside it, the names there.

Invariant: an error variable that is still to be read is never assigned to, and a new one never
takes over later uses of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from grammar_ops.reject import Json, Reject
from grammar_ops.scope import Scope, Target
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.signature import list_params
from grammar_ops.syntax.typefacts import (
    ERROR,
    Value,
    Visible,
    find_visible,
    is_captured,
    numbered,
    uses_after,
    values_at,
)

_NOT_NIL = "!="


@dataclass(frozen=True)
class Site:
    """A statement whose error is to be wrapped, and what a guard there returns."""

    scope: Scope
    target: Target
    stmt: Node
    function: Node
    """The innermost function literal around it, else the declaration."""
    zeros: tuple[str, ...] | None
    """The results before the error; None where the error is not returned."""
    render: Callable[[str], str]
    """The expression that wraps the error of a name; a statement where it is not returned."""

    @property
    def path(self) -> str:
        """The file."""
        return self.target.path

    @property
    def src(self) -> bytes:
        """The current text of the file."""
        return self.scope.source(self.path)

    def act(self, name: str) -> str:
        """The statement of a guard."""
        if self.zeros is None:
            return self.render(name)
        return f"return {', '.join([*self.zeros, self.render(name)])}"

    def wrap(self, name: str) -> str:
        """The error to be returned; Reject where it is not."""
        if self.zeros is None:
            raise Reject("wrap_error_wrong_node", f"{name} is returned there")
        return self.render(name)

    def text(self, node: Node) -> str:
        """The text of a node."""
        return nodes.text_of(self.src, node)


def enclosing_function(target: Target, node: Node) -> Node:
    """The innermost function literal around a node, else the declaration of the target."""
    outer = node.parent
    while outer is not None and outer.type not in nodes.FUNC_DECLS | {nodes.FUNC_LIT}:
        outer = outer.parent
    return outer or target.function.node


def zeros_of(scope: Scope, target: Target, function: Node) -> tuple[str, ...]:
    """Zero values of all results but the last; Reject(func_returns_no_error) for another last."""
    found: list[Value] = []
    result = nodes.find_field(function, "result")
    listed = nodes.elements(result) if result and result.type == nodes.PARAMS else [result]
    for param in listed:
        if param is not None:
            of = nodes.find_field(param, "type") if nodes.is_param(param) else param
            value = values_at(scope, target.path, of or param)[:1]
            found += value * max(1, len(nodes.name_nodes(param)))
    last = found[-1] if found else None
    if last is None or not last.is_error or last.underlying != "interface":
        facts: dict[str, Json] = {"fail": _failing(scope, target, function)}
        detail = f"the last result is a {last.type}" if last else "there are no results"
        raise Reject("func_returns_no_error", detail, facts=facts)
    return tuple(value.zero for value in found[:-1])


def _failing(scope: Scope, target: Target, function: Node) -> str:
    """What ends a test, or a program, with a message; "" for another function."""
    src = scope.source(target.path)
    for param in list_params(function, src):
        of = nodes.find_field(param.node, "type")
        if param.names and of is not None and "testing." in nodes.text_of(src, of):
            return f"{param.names[0]}.Fatalf"
    return "log.Fatalf" if target.function.sym in ("main", "init") else ""


def siblings(stmt: Node) -> tuple[list[Node], list[Node]]:
    """The statements of the list before and behind a statement."""
    stmt = outermost(stmt)
    listed = nodes.elements(stmt.parent) if nodes.is_listed(stmt) and stmt.parent else []
    before = [node for node in listed if node.end_byte <= stmt.start_byte]
    return before, [node for node in listed if node.start_byte >= stmt.end_byte]


def outermost(stmt: Node) -> Node:
    """The statement with the labels before it."""
    while nodes.is_labeled_inner(stmt) and stmt.parent is not None:
        stmt = stmt.parent
    return stmt


def pick_name(site: Site, error: Value, define: bool) -> tuple[str, bool]:
    """A name for the error, and whether it has to be declared in a line before."""
    at = site.stmt.start_byte
    later = declared_later(site)
    for name in numbered("err"):
        seen = find_visible(site.scope, site.path, at, name)
        if seen is None and name not in later:
            return name, not define
        if seen and (seen.here or not define) and _may_assign(site, seen, error):
            return name, False
        may_hide = define and name not in later
        if may_hide and seen and not seen.here and not _takes_over(site, seen):
            return name, False
    raise AssertionError("numbered names never end")


def _may_assign(site: Site, seen: Visible, error: Value) -> bool:
    """Whether an error may go into a variable: of this function, an error, not to be read still."""
    inside = site.function.start_byte <= seen.offset < site.function.end_byte
    if seen.kind != "var" or seen.type != ERROR or seen.file != site.path or not inside:
        return False
    if error.type != ERROR:
        return False  # a nil pointer in an error is no nil error
    uses = uses_after(site.scope, site.path, seen.offset)
    after = [role for span, role in uses if span.start >= site.stmt.end_byte]
    if not after or after[0] != "read":
        return True
    before = [span for span, _ in uses if span.end <= site.stmt.start_byte]
    checked = [find_check(site, node, seen.name) for node in siblings(site.stmt)[0]]
    guards = [nodes.span_of(node) for node in checked if node is not None]
    return bool(before) and any(guard.contains(before[-1]) for guard in guards)


def _takes_over(site: Site, seen: Visible) -> bool:
    """Whether a new variable would take over uses of an outer one, bare returns included."""
    behind = [n for node in siblings(site.stmt)[1] for n in nodes.descendants(node)]
    if any(n.type == nodes.RETURN and not nodes.elements(n) for n in behind):
        return True
    return is_captured(site.scope, site.path, site.stmt.start_byte, seen.name)


def declared_later(site: Site) -> set[str]:
    """Names that a later statement of the list declares for itself: `err := g()`, `var err error`.

    One beside others that are new could be there already (spec, Short variable declarations).
    """
    found: set[str] = set()
    for node in siblings(site.stmt)[1]:
        if node.type == nodes.SHORT_VAR:
            left = (n for name, n in slots.list_slots(node) if name.startswith("lhs"))
            names = {site.text(n) for n in left} - {"_"}
            found |= names if len(names) == 1 else set()
        elif node.type in nodes.SPEC_DECLS:
            specs = nodes.list_specs(node)
            found |= {site.text(name) for spec in specs for name in nodes.name_nodes(spec)}
    return found


def find_check(site: Site, node: Node, name: str) -> Node | None:
    """The statement, when it is an if that compares `name` with nil."""
    if node.type == nodes.IF and nodes.find_field(node, "initializer") is None:
        return node if checked_name(site, node) == name else None
    return None


def checked_name(site: Site, node: Node) -> str:
    """The name that the condition of an if compares with nil, "" for none."""
    return next((name for name, _ in _nilfind_check(site, node)), "")


def _nilfind_check(site: Site, node: Node) -> Iterator[tuple[str, str]]:
    """(name, operator) of the comparisons with nil that hold when the condition does."""
    cond = nodes.find_field(node, "condition")
    todo = [cond] if cond is not None else []
    while todo:
        part = todo.pop(0)
        if part.type == nodes.PAREN or slots.operator_of(part) == "&&":
            todo += nodes.elements(part)
        elif part.type == nodes.BINARY and slots.operator_of(part) in (_NOT_NIL, "=="):
            x, y = nodes.find_field(part, "left"), nodes.find_field(part, "right")
            named = x is not None and x.type == nodes.IDENTIFIER
            if x is not None and y is not None and named and site.text(y) == "nil":
                yield site.text(x), slots.operator_of(part)


def find_branch(site: Site, node: Node, name: str) -> Node | None:
    """The branch of an if in which `name` is no nil."""
    operators = [operator for of, operator in _nilfind_check(site, node) if of == name]
    if _NOT_NIL in operators:
        return nodes.find_field(node, "consequence")
    alone = slots.operator_of(nodes.find_field(node, "condition") or node) == "=="
    return nodes.find_else(node) if operators and alone else None
