"""Adapters: a function used as a value, in a literal that has the type it had.

Invariant: only what is evaluated without effect is wrapped; a method value binds its receiver when
it is evaluated (spec, Method values), and no literal does that.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.op import ImportWish
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import nodes, slots, uses
from grammar_ops.syntax.callsites import Passing
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.elsewhere import fit_expr, rewrite_type
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import NAMELESS, result_node, type_params
from grammar_ops.syntax.typefacts import numbered


def wrap_value(
    scope: Scope, rewrite: Rewrite, ref: Ref, owner: tuple[str, Decl], passing: Passing
) -> list[ImportWish]:
    """Put a literal of the old type around a value of the function; Reject(used_as_value)."""
    pkg, decl = owner
    value, operand = _find_value(scope, ref)
    generic = nodes.find_field(decl.node, "type_parameters") or type_params(decl, rewrite.src)
    receiver = _receiver_of(scope, ref, operand) if operand is not None else ""
    if value is None or receiver is None or generic or not _can_pass(passing):
        raise uses.reject_at(scope, "used_as_value", decl.sym, [ref])
    there = (scope.package_of(ref.path) or "", ref.path)
    wishes = list[ImportWish]()

    def written(text: str) -> str:
        found, wanted = rewrite_type(scope, text, (pkg, decl.path), there)
        wishes.extend(wanted)
        return found

    given = {
        slot.name: fit_expr(scope, passing.given(slot), ref.path, ref.span.start, passing.home)
        for slot in passing.new
    }
    names = _name_params(passing, {*nodes.text_of(rewrite.src, value).split("."), *given.values()})
    params = [
        f"{name} {'...' if slot.variadic else ''}{written(slot.type)}"
        for name, slot in zip(names, passing.old, strict=True)
    ]
    result = result_node(decl.node)
    results = written(nodes.text_of(scope.source(decl.path), result)) if result else ""
    head = f"func({', '.join([f'recv {receiver}'] * bool(receiver) + params)}) {results}".rstrip()
    start = ref.span.start if receiver else value.start_byte
    callee = f"{head} {{ {'return ' if results else ''}{'recv.' if receiver else ''}"
    rewrite.replace(Span(value.start_byte, start), callee.encode())
    args = ", ".join(_arguments(passing, names, given))
    rewrite.replace(Span(value.end_byte, value.end_byte), f"({args}) }}".encode())
    return wishes


def _find_value(scope: Scope, ref: Ref) -> tuple[Node | None, Node | None]:
    """The expression that is the function, and what stands before its dot."""
    root = scope.tree(ref.path).root_node
    node = root.named_descendant_for_byte_range(ref.span.start, ref.span.end)
    if node is None or nodes.span_of(node) != ref.span:
        return None, None
    parent = node.parent
    if parent is not None and parent.type == nodes.SELECTOR and slots.is_callee_part(node, parent):
        return parent, nodes.find_field(parent, "operand")
    return (node if node.type == nodes.IDENTIFIER else None), None


def _receiver_of(scope: Scope, ref: Ref, operand: Node) -> str | None:
    """The receiver's type in a method expression, "" for a package's name, None for a value."""
    span = nodes.span_of(operand)
    answer = scope.ask({"kind": "type_at", "file": ref.path, "start": span.start, "end": span.end})
    if answer.get("mode") == "type":
        text = nodes.text_of(scope.source(ref.path), operand)
        return text[1:-1] if operand.type.startswith("parenthesized") else text
    found = scope.ask({"kind": "object_at", "file": ref.path, "offset": span.start})
    return "" if found.get("kind") == "package" else None


def _can_pass(passing: Passing) -> bool:
    """Whether a literal can hand its parameters on as they are."""
    pairs = zip(passing.new, passing.sources, strict=True)
    same = all(s is None or passing.old[s].variadic == slot.variadic for slot, s in pairs)
    return same and not passing.lacking


def _name_params(passing: Passing, taken: set[str]) -> list[str]:
    """Names for the literal's parameters: as they were, `_` for those that are not handed on."""
    used = {name for text in taken for name in text.replace("(", ".").split(".")} | {"recv"}
    names = list[str]()
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
        elif given[slot.name]:
            args.append(given[slot.name])
    return args
