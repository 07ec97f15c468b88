"""Error guards: the `if err != nil` that returns a wrapped error, behind every kind of call.

Invariant: what the statement did is still done, and only an error ends the function earlier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Bind
from grammar_ops.reject import Json, Reject
from grammar_ops.syntax import docs, nodes, slots
from grammar_ops.syntax.errorsite import (
    Site,
    checked_name,
    declared_later,
    find_branch,
    find_check,
    outermost,
    pick_name,
    siblings,
)
from grammar_ops.syntax.fragment import Fragment, header_text
from grammar_ops.syntax.headers import bind_around
from grammar_ops.syntax.layout import indent_of, place_stmt
from grammar_ops.syntax.stmts import child_handles, handle_of
from grammar_ops.syntax.typefacts import ERROR, Value, find_visible, numbered, rows, values_at

_WRONG = "wrap_error_wrong_node"
_MAKERS = frozenset({("errors", "New"), ("fmt", "Errorf")})
"""What never returns nil."""


class Guarded(NamedTuple):
    """The edits that guard a call, and where the guard stands."""

    edits: list[Edit]
    bind: Bind


class _Left(NamedTuple):
    """What an assignment gains: the error's name, edits of its left side, a line before it."""

    name: str
    edits: list[Edit]
    declare: bool = False


def guard(site: Site) -> Guarded:
    """Guard the call of a statement, by what the statement is."""
    stmt = site.stmt
    if stmt.type in (nodes.ASSIGN, nodes.SHORT_VAR):
        return _guard_assignment(site)
    if stmt.type in nodes.SPEC_DECLS:
        return _guard_declaration(site)
    if stmt.type == nodes.EXPR_STMT:
        expr = nodes.elements(stmt)[0]
        if not slots.is_call(expr):
            raise Reject("wrap_needs_call", site.text(expr))
        return _guard_call(site, expr, _error_values(site, expr), expr)
    if stmt.type == nodes.RETURN:
        return _guard_return(site)
    if stmt.type == nodes.IF:
        return _wrap_returned(site, stmt)
    near = child_handles(site.target.function, stmt)[:3]
    raise Reject(_WRONG, f"a {stmt.type.replace('_', ' ')}", did_you_mean=tuple(near))


def _error_values(site: Site, call: Node) -> list[Value]:
    """The values of a call whose last is an error."""
    values = values_at(site.scope, site.path, call)
    if not values or not values[-1].type:
        raise Reject("cannot_resolve_call_target", site.text(call))
    if not values[-1].is_error:
        listed = ", ".join(value.type for value in values)
        raise Reject("callee_returns_no_error", f"{site.text(call)} has ({listed})")
    return values


# -- assignments ---------------------------------------------------------------------------------


def _guard_assignment(site: Site) -> Guarded:
    define = site.stmt.type == nodes.SHORT_VAR
    if not define and slots.operator_of(site.stmt) != "=":
        raise Reject("needs_plain_assign", site.text(site.stmt))
    parts = dict(slots.list_slots(site.stmt))
    left = [node for name, node in parts.items() if name.startswith("lhs")]
    right = [node for name, node in parts.items() if name.startswith("rhs")]
    call, values = _only_call(site, right)
    blank = all(site.text(node) == "_" for node in left)
    if blank and not define:
        return _guard_call(site, call, values, left[0])
    found = _name_error(site, left, len(values), values[-1], define)
    return _guard_behind(site, found)


def _guard_declaration(site: Site) -> Guarded:
    specs = nodes.list_specs(site.stmt)
    value = nodes.find_field(specs[0], "value") if len(specs) == 1 else None
    if value is None:
        raise Reject("no_assigned_values", site.text(site.stmt))
    _, values = _only_call(site, nodes.elements(value))
    found = _name_error(site, nodes.name_nodes(specs[0]), len(values), values[-1], define=True)
    return _guard_behind(site, found)


def _only_call(site: Site, right: list[Node]) -> tuple[Node, list[Value]]:
    if len(right) != 1 or not slots.is_call(right[0]):
        raise Reject("needs_single_call_rhs", ", ".join(map(site.text, right)))
    return right[0], _error_values(site, right[0])


def _name_error(site: Site, left: list[Node], count: int, error: Value, define: bool) -> _Left:
    """The variable that takes the error: the one that is there, or a new one in its place."""
    last, text = left[-1], site.text(left[-1])
    missing = len(left) == count - 1
    if not missing and text != "_":
        if last.type != nodes.IDENTIFIER:
            raise Reject("last_must_be_blank_or_err", text)
        seen = find_visible(site.scope, site.path, site.stmt.start_byte, text)
        known = values_at(site.scope, site.path, last)[:1]
        if known and known[0].type and not known[0].is_error:
            raise Reject("last_must_be_blank_or_err", f"{text} is a {known[0].type}")
        return _Left(text, [], declare=not define and seen is None)
    name, declare = pick_name(site, error, define)
    at = Span(last.end_byte, last.end_byte) if missing else nodes.span_of(last)
    put = f", {name}" if missing else name
    return _Left(name, [Edit(site.path, at, put.encode())], declare)


def _guard_behind(site: Site, left: _Left) -> Guarded:
    """A guard behind the statement, or a wrapped return in the one that is there."""
    _, later = siblings(site.stmt)
    if later and not left.edits and find_check(site, later[0], left.name) is not None:
        return _wrap_returned(site, later[0])
    edits = [*left.edits]
    if left.declare:
        declared = f"var {left.name} {ERROR}"
        edits.append(_placed(site, "before", declared)[0])
    placed, span = _placed(site, "after", *_guard_lines(site, left.name))
    return Guarded([*edits, placed], Bind(len(edits), span))


def _guard_lines(site: Site, name: str) -> tuple[str, str, str]:
    return f"if {name} != nil {{", f"\t{site.act(name)}", "}"


def _placed(site: Site, where: str, *lines: str) -> tuple[Edit, Span]:
    written = site.scope.written(site.path)
    return place_stmt(site.src, site.target, where, lines, written)


# -- calls ---------------------------------------------------------------------------------------


def _guard_call(site: Site, call: Node, values: list[Value], first: Node) -> Guarded:
    """The call of an expression statement, or of `_ = f()`, where `first` is its beginning."""
    blanks = "_, " * (len(values) - 1)
    at = site.stmt.start_byte
    left = Span(first.start_byte, call.start_byte)
    free = find_visible(site.scope, site.path, at, "err") is None
    if free and "err" not in declared_later(site) and nodes.is_listed(outermost(site.stmt)):
        edit = Edit(site.path, left, f"{blanks}err := ".encode())
        placed, span = _placed(site, "after", *_guard_lines(site, "err"))
        return Guarded([edit, placed], Bind(1, span))
    return _guard_in_header(site, call, left, f"if {blanks}err := ", "err")


def _guard_in_header(
    site: Site, call: Node, left: Span, head: str, name: str, tail: tuple[str, ...] = ()
) -> Guarded:
    """`if err := f(); err != nil { … }`: a variable that nothing else can see."""
    src, stmt = site.src, site.stmt
    indent = indent_of(src, outermost(stmt))
    lines = (site.act(name), "}", *tail)
    rest = f"\n{indent}\t{lines[0]}" + "".join(f"\n{indent}{line}" for line in lines[1:])
    end = docs.trailing_end(src, stmt)
    end = end if docs.ends_line(src, end) else call.end_byte
    guarded = len(f"\n{indent}\t{lines[0]}\n{indent}}}".encode())
    text = header_text(Fragment(src, call))
    edits = [
        Edit(site.path, left, head.encode()),
        Edit(site.path, Span(call.end_byte, call.end_byte), f"; {name} != nil {{".encode()),
        Edit(site.path, Span(end, end), rest.encode()),
    ]
    grown = len(head.encode()) + len(edits[1].text or b"")
    if text != site.text(call):
        edits.insert(1, Edit(site.path, nodes.span_of(call), text.encode()))
        grown += len(text.encode()) - (call.end_byte - call.start_byte)
    return Guarded(edits, Bind(0, Span(0, grown + end - left.end + guarded)))


# -- returns -------------------------------------------------------------------------------------


def _guard_return(site: Site) -> Guarded:
    results = [node for _, node in slots.list_slots(site.stmt)]
    if site.zeros is None:
        raise Reject(_WRONG, f"{site.text(site.stmt)} returns the error")
    if results and results[-1].type == nodes.IDENTIFIER:
        return _guard_returned_name(site, results)
    if results and _is_new_error(site, results[-1]):
        text = site.wrap(site.text(results[-1]))
        edit = Edit(site.path, nodes.span_of(results[-1]), text.encode())
        return Guarded([edit], Bind(0, bind_around(site.stmt, edit)))
    if len(results) != 1 or not slots.is_call(results[0]):
        raise Reject("needs_single_call_rhs", site.text(site.stmt))
    call, values = results[0], _error_values(site, results[0])
    left = Span(site.stmt.start_byte, call.start_byte)
    if len(values) == 1:
        return _guard_in_header(site, call, left, "if err := ", "err", ("return nil",))
    names = _fresh_names(site, len(values) - 1)
    name, _ = pick_name(site, values[-1], define=True)
    edit = Edit(site.path, left, f"{', '.join([*names, name])} := ".encode())
    last = f"return {', '.join([*names, 'nil'])}"
    placed, span = _placed(site, "after", *_guard_lines(site, name), last)
    indent = indent_of(site.src, outermost(site.stmt))
    return Guarded([edit, placed], Bind(1, Span(span.start, span.end - len(f"\n{indent}{last}"))))


def _is_new_error(site: Site, node: Node) -> bool:
    """Whether an expression makes an error, which needs no guard."""
    if not slots.is_call(node):
        return False
    question: dict[str, Json] = {"kind": "call_targets", "file": site.path}
    span = nodes.span_of(node)
    answer = site.scope.ask({**question, "start": span.start, "end": span.end})
    made = [(row.get("pkg"), row.get("sym")) for row in rows(answer, "targets")]
    return len(made) == 1 and made[0] in _MAKERS


def _fresh_names(site: Site, count: int) -> list[str]:
    found: list[str] = []
    for name in numbered("v"):
        if len(found) < count and not find_visible(
            site.scope, site.path, site.stmt.start_byte, name
        ):
            found.append(name)
        if len(found) == count:
            break
    return found


def _guard_returned_name(site: Site, results: list[Node]) -> Guarded:
    """`return n, err`: wrapped where it is known to be an error, else behind a guard."""
    last, name = results[-1], site.text(results[-1])
    known = values_at(site.scope, site.path, last)[:1]
    if not known or not known[0].is_error or name == "nil":
        raise Reject(_WRONG, f"{site.text(site.stmt)} returns no error of a call")
    outer = site.stmt.parent
    while outer is not None and outer != site.function:
        if outer.type == nodes.IF and find_branch(site, outer, name) is not None:
            edit = Edit(site.path, nodes.span_of(last), site.wrap(name).encode())
            return Guarded([edit], Bind(0, bind_around(outer, edit)))
        outer = outer.parent
    wrapped = [*map(site.text, results[:-1]), site.wrap(name)]
    lines = (f"if {name} != nil {{", f"\treturn {', '.join(wrapped)}", "}")
    placed, span = _placed(site, "before", *lines)
    return Guarded([placed], Bind(0, span))


# -- guards that are there already ---------------------------------------------------------------


def _wrap_returned(site: Site, checked: Node) -> Guarded:
    """Wrap what the branch of an `if err != nil` returns."""
    name = checked_name(site, checked)
    block = find_branch(site, checked, name) if name else None
    found = [*_returned(site, block, name)] if block is not None else []
    if not found:
        handle = handle_of(site.target.function, checked) or site.text(checked)
        raise Reject(_WRONG, f"{handle} returns no error of a call as it is")
    edits = [Edit(site.path, nodes.span_of(node), site.wrap(name).encode()) for node in found]
    grown = sum(len(e.text or b"") - (e.span.end - e.span.start) for e in edits)
    low = edits[0].span.start
    return Guarded(edits, Bind(0, Span(checked.start_byte - low, checked.end_byte + grown - low)))


def _returned(site: Site, node: Node, name: str) -> Iterator[Node]:
    """The places under a node, function literals aside, that return `name` as the last result."""
    if node.type == nodes.FUNC_LIT:
        return
    if node.type == nodes.RETURN:
        results = [found for _, found in slots.list_slots(node)]
        if results and site.text(results[-1]) == name:
            yield results[-1]
    for child in node.children:
        yield from _returned(site, child, name)
