"""Adapters: a function used as a value, in a literal that has the type it had.

Invariant: what the value was made of is evaluated when it was; a method value binds its receiver
then (spec, Method values), and so the literal is made around the new method value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import nodes, slots, uses
from grammar_ops.syntax.callsites import Passing
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.elsewhere import list_type_names, rewrite_type
from grammar_ops.syntax.fitting import fit_into
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import NAMELESS, read_slots, result_node, type_params
from grammar_ops.syntax.typefacts import numbered

_WORD = re.compile(r"\w+")


def wrap_value(
    scope: Scope, rewrite: Rewrite, ref: Ref, owner: tuple[str, Decl], passing: Passing
) -> None:
    """Put a literal of the old type around a value of the function; Reject(used_as_value)."""
    pkg, decl = owner
    value, operand = _find_value(scope, ref)
    if value is None or not _can_pass(passing):
        raise uses.reject_at(scope, "used_as_value", decl.sym, [ref])
    receiver = _receiver_of(scope, ref, operand) if operand is not None else ""
    if _is_generic(scope, decl, passing):
        head = _ask_head(scope, ref.path, value, passing, is_expression=bool(receiver))
    else:
        there = (scope.package_of(ref.path) or "", ref.path)
        head = _write_head(scope, rewrite, decl, passing, ((pkg, decl.path), there))
    if head is None:
        raise uses.reject_at(scope, "used_as_value", decl.sym, [ref])
    types, results = head
    given = {
        slot.name: fit_into(scope, rewrite, ref.span.start, text, passing.home)
        for slot in passing.new
        if (text := passing.given(slot))
    }
    taken = {nodes.text_of(rewrite.src, value), *given.values()}
    bound, *names = _name_params(passing, taken, "method" if receiver is None else "recv")
    listed = [f"{name} {text}" for name, text in zip(names, types, strict=True)]
    opening = f"func({', '.join([f'{bound} {receiver}'] * bool(receiver) + listed)}) {results}"
    call = "return " if results else ""
    args = f"({', '.join(_arguments(passing, names, given))})"
    start, end = value.start_byte, value.end_byte
    if receiver is None:
        made = f"func() func({', '.join(types)}) {results}".rstrip()
        rewrite.replace(Span(start, start), f"{made} {{ {bound} := ".encode())
        tail = f"; return {opening.rstrip()} {{ {call}{bound}{args} }} }}()"
        rewrite.replace(Span(end, end), tail.encode())
        return
    method = f"{bound}." if receiver else ""
    lead = Span(start, ref.span.start if receiver else start)
    rewrite.replace(lead, f"{opening.rstrip()} {{ {call}{method}".encode())
    rewrite.replace(Span(end, end), f"{args} }}".encode())


_Head = tuple[list[str], str]
"""The types of the parameters of a literal, and its results."""


def _write_head(
    scope: Scope, rewrite: Rewrite, decl: Decl, passing: Passing,
    places: tuple[tuple[str, str], tuple[str, str]],
) -> _Head:  # fmt: skip
    """The types of the function as the file with the value writes them."""

    def written(text: str) -> str:
        found, wanted = rewrite_type(scope, text, *places)
        rewrite.wishes += wanted
        return found

    types = [("..." if slot.variadic else "") + written(slot.type) for slot in passing.old]
    result = result_node(decl.node)
    return types, written(nodes.text_of(scope.source(decl.path), result)) if result else ""


def _ask_head(
    scope: Scope, path: str, value: Node, passing: Passing, *, is_expression: bool
) -> _Head | None:
    """The types of an instance of a generic function, of a method expression without the
    receiver; None where there is no telling."""
    span = nodes.span_of(value)
    answer = scope.ask({"kind": "type_at", "file": path, "start": span.start, "end": span.end})
    src = f"package p\n\nvar _ {answer.get('type')}\n".encode()
    heads = (
        n for n in nodes.descendants(parse(src).root_node) if nodes.find_field(n, "parameters")
    )
    function = next(heads, None)
    found = read_slots(function, src)[is_expression:] if function is not None else ()
    if function is None or len(found) != len(passing.old):
        return None
    result = result_node(function)
    texts = [("..." if slot.variadic else "") + slot.type for slot in found]
    return texts, nodes.text_of(src, result) if result else ""


def _is_generic(scope: Scope, decl: Decl, passing: Passing) -> bool:
    """Whether a literal would have to name type arguments."""
    if nodes.find_field(decl.node, "type_parameters") is not None:
        return True
    src, result = scope.source(decl.path), result_node(decl.node)
    texts = [slot.type for slot in passing.old]
    texts += [nodes.text_of(src, result)] if result else []
    return bool(type_params(decl, src) & {name for t in texts for name in list_type_names(t)})


def _find_value(scope: Scope, ref: Ref) -> tuple[Node | None, Node | None]:
    """The expression that is the function, and what stands before its dot."""
    root = scope.tree(ref.path).root_node
    node = root.named_descendant_for_byte_range(ref.span.start, ref.span.end)
    if node is None or nodes.span_of(node) != ref.span:
        return None, None
    value, operand = slots.named_value(node)
    whole = slots.instantiated(value)
    bare = value == whole == node and node.type != nodes.IDENTIFIER
    return (None if bare else whole), operand


def _receiver_of(scope: Scope, ref: Ref, operand: Node) -> str | None:
    """The receiver's type in a method expression, "" for a package's name, None for a value."""
    span = nodes.span_of(operand)
    answer = scope.ask({"kind": "type_at", "file": ref.path, "start": span.start, "end": span.end})
    if answer.get("mode") == "type":
        text = nodes.text_of(scope.source(ref.path), operand)
        return text[1:-1] if operand.type.startswith("parenthesized") else text
    if operand.named_child_count:
        return None
    found = scope.ask({"kind": "object_at", "file": ref.path, "offset": span.start})
    return "" if found.get("kind") == "package" else None


def _can_pass(passing: Passing) -> bool:
    """Whether a literal can hand its parameters on as they are."""
    pairs = zip(passing.new, passing.sources, strict=True)
    same = all(s is None or passing.old[s].variadic == slot.variadic for slot, s in pairs)
    return same and not passing.lacking


def _name_params(passing: Passing, taken: set[str], base: str) -> list[str]:
    """A name for what the literal calls, and those of its parameters: as they were, `_` for those
    that are not handed on."""
    used = {name for text in taken for name in _WORD.findall(text)}
    own = {slot.name for slot in passing.old}
    names = [next(name for name in numbered(base) if name not in used | own)]
    used.add(names[0])
    for number, slot in enumerate(passing.old):
        if number not in passing.sources:
            names.append("_")
            continue
        base = "p" if slot.name in NAMELESS else slot.name
        names.append(next(name for name in numbered(base) if name not in used))
        used.add(names[-1])
    return names


def _arguments(passing: Passing, names: Sequence[str], given: dict[str, str]) -> list[str]:
    args = list[str]()
    for slot, source in zip(passing.new, passing.sources, strict=True):
        if source is not None:
            args.append(names[source] + ("..." if slot.variadic else ""))
        elif slot.name in given:
            args.append(given[slot.name])
    return args
