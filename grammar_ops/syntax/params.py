"""A function's own side of a signature change: its head, its body's uses, names that collide.

Invariant: names that stay keep their bytes, so that the body's uses mean what they did.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Carried, Seen, StillUsed
from grammar_ops.reject import Finding, Json, Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, nodes, slots
from grammar_ops.syntax.callsites import Passing
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.findings import LIMIT, point_at
from grammar_ops.syntax.layout import removal_span
from grammar_ops.syntax.lists import Item, read_list, rewrite_list
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import NAMELESS, Slot, list_groups, render_group
from grammar_ops.syntax.signature import scope_names
from grammar_ops.syntax.typefacts import uses_after

register(
    "grammar",
    {
        "param_name_collides": "the function's scope has this name already",
        "param_in_use": "the body uses the parameter that would go",
    },
)


def rewrite_head(rewrite: Rewrite, decl: Decl, passing: Passing, results: str | None) -> None:
    """Write the new parameters, and the results unless they stay (None)."""
    whole = nodes.find_field(decl.node, "parameters")
    if whole is None:
        return
    listed = read_list(rewrite.src, whole.children[0], whole.children[-1])
    rewrite_list(rewrite, listed, _head_items(passing))
    if results is not None:
        _rewrite_results(rewrite, decl.node, whole, results)


def lay_out(rewrite: Rewrite, decl: Decl, layout: str) -> None:
    """Write the parameters as they were given, unless comments stand between the old ones."""
    whole = nodes.find_field(decl.node, "parameters")
    if whole is None or any(n.type == nodes.COMMENT for n in nodes.descendants(whole)):
        return
    rewrite.cut(nodes.span_of(whole), layout.encode())


def _head_items(passing: Passing) -> list[Item]:
    """The new parameter declarations; each old one goes on as the first that carries a part."""
    texts = [render_group(group) for group in list_groups(passing.old)]
    items, used, at = list[Item](), set[int](), 0
    for group in list_groups(passing.new):
        sources = passing.sources[at : at + len(group)]
        at += len(group)
        text = render_group(group)
        olds = [passing.old[s].group for s in sources if s is not None]
        source = next((number for number in olds if number not in used), None)
        if source is None:
            items.append(Item(None, text))
            continue
        used.add(source)
        same = texts[source].split() == text.split()
        items.append(Item(source) if same else Item(source, text))
    return items


def _rewrite_results(rewrite: Rewrite, function: Node, params: Node, results: str) -> None:
    old = nodes.find_field(function, "result")
    if old is not None and results:
        rewrite.retoken(nodes.span_of(old), results)
    elif old is not None:
        head = rewrite.src[: old.start_byte]
        rewrite.cut(Span(len(head.rstrip(b" \t")), old.end_byte))
    elif results:
        rewrite.replace(Span(params.end_byte, params.end_byte), f" {results}".encode())


def follow_names(scope: Scope, decl: Decl, passing: Passing) -> Iterator[tuple[Span, str]]:
    """The places of the body that use a parameter under a name that it has no more."""
    places = _name_nodes(decl)
    for slot, source in zip(passing.new, passing.sources, strict=True):
        if source is None or source >= len(places) or slot.name in NAMELESS:
            continue
        old = passing.old[source].name
        if old not in (slot.name, *NAMELESS):
            for span in list_uses(scope, decl, places[source]):
                _refuse_hidden(scope, decl, span, slot.name)
                yield span, slot.name


def list_used(
    scope: Scope,
    members: Sequence[tuple[Decl, Passing]],
    besides: Collection[tuple[str, Span]],
) -> tuple[StillUsed, ...]:
    """What a patch has to see to when a body uses a parameter that goes, but in arguments that
    go."""
    found, names, seen = list[Finding](), dict[str, None](), list[Seen]()
    for decl, passing in members:
        src = scope.source(decl.path)
        for number, node in enumerate(_name_nodes(decl)):
            spans = list_uses(scope, decl, node) if number not in passing.sources else []
            for span in spans:
                if not any(path == decl.path and arg.contains(span) for path, arg in besides):
                    found.append(point_at(src, decl.path, span.start))
                    seen.append(Seen(decl.path, span))
                    names[f"{passing.old[number].name} of {decl.sym}"] = None
    reject = Reject("param_in_use", ", ".join(names), diagnostics=tuple(found[:LIMIT]))
    return (StillUsed("", "", reject, tuple(seen)),) if found else ()


def _name_nodes(decl: Decl) -> list[Node]:
    """The names of the parameters; none when they are nameless."""
    whole = nodes.find_field(decl.node, "parameters")
    params = nodes.elements(whole) if whole is not None else []
    return [name for param in params for name in nodes.name_nodes(param)]


def carry_names(edits: Sequence[Edit], decl: Decl, passing: Passing) -> Iterator[Carried]:
    """The names that are written in another place: the variables are the ones they were."""
    whole, names = nodes.find_field(decl.node, "parameters"), _name_nodes(decl)
    if whole is None:
        return
    inside = [e for e in edits if e.path == decl.path and nodes.span_of(whole).contains(e.span)]
    for slot, source in zip(passing.new, passing.sources, strict=True):
        if source is None or source >= len(names) or slot.name != passing.old[source].name:
            continue
        span = nodes.span_of(names[source])
        word = re.compile(rb"(?<![\w\x80-\xff])" + slot.name.encode() + rb"(?![\w\x80-\xff])")
        found = [(edit, match) for edit in inside for match in word.finditer(edit.text or b"")]
        # A type may read like the name: then it is not told which is which.
        if len(found) == 1 and any(edit.span.contains(span) for edit in inside):
            edit, match = found[0]
            yield Carried(edits.index(edit), match.start(), decl.path, span)


def list_uses(scope: Scope, decl: Decl, name: Node) -> list[Span]:
    """The places of the body that mean a parameter; by syntax where types can't tell."""
    body = nodes.find_field(decl.node, "body")
    src = scope.source(decl.path)
    if body is None or nodes.text_of(src, name) in NAMELESS:
        return []
    found = uses_after(scope, decl.path, name.start_byte)
    if not found:
        return [nodes.span_of(n) for n in _mentions(body, src, nodes.text_of(src, name))]
    return list(dict.fromkeys(span for span, role in found if role != "def"))


def _mentions(body: Node, src: bytes, name: str) -> list[Node]:
    return [
        node
        for node in nodes.descendants(body)
        if node.type == nodes.IDENTIFIER and nodes.text_of(src, node) == name
    ]


def _refuse_hidden(scope: Scope, decl: Decl, span: Span, name: str) -> None:
    """Reject(param_name_collides) where a use would mean a variable of an inner block."""
    question: dict[str, Json] = {"kind": "names_at", "file": decl.path, "name": name}
    existing = scope.ask({**question, "offset": span.start}).get("existing")
    if isinstance(existing, dict) and existing.get("level") == "block":
        place = point_at(scope.source(decl.path), decl.path, span.start)
        raise Reject("param_name_collides", f"{name} in {decl.sym}", diagnostics=(place,))


def admit_names(rewrite: Rewrite, decl: Decl, passing: Passing, *, strict: bool) -> Passing:
    """Make room for the new parameters: `name := default` at the top of the body goes, since the
    parameter replaces it.

    For any other declaration of the name in the function's scope Reject(param_name_collides), or
    `_` in its place where the name is not asked for (`strict`).
    """
    slots = list(passing.new)
    for at, source in enumerate(passing.sources):
        taken = _admit(rewrite, decl, passing, slots[at]) if source is None else None
        if taken is not None and strict:
            place = point_at(rewrite.src, decl.path, taken)
            detail = f"{slots[at].name} in {decl.sym}"
            raise Reject("param_name_collides", detail, diagnostics=(place,))
        if taken is not None:
            slots[at] = slots[at]._replace(name="_")
    return passing._replace(new=tuple(slots))


def _admit(rewrite: Rewrite, decl: Decl, passing: Passing, slot: Slot) -> int | None:
    """Where the function's scope has the name of a new parameter already, None where it has not."""
    if slot.name in NAMELESS:
        return None
    src = rewrite.src
    taken = _standing_names(decl, src, passing).get(slot.name)
    for at, stmt in _top_declarations(decl, src, slot.name):
        given = passing.given(slot)
        if taken is None and stmt is not None and _assigns(src, stmt, slot.name, given):
            span = Span(stmt.start_byte, docs.trailing_end(src, stmt))
            rewrite.cut(removal_span(src, span))
        else:
            taken = at
    return taken


def _standing_names(decl: Decl, src: bytes, passing: Passing) -> dict[str, int]:
    """The names of the function's scope without those of parameters that go or are renamed."""
    names = scope_names(decl.node, src)
    for number, slot in enumerate(passing.old):
        kept = [passing.new[at].name for at, s in enumerate(passing.sources) if s == number]
        if slot.name not in kept:
            names.pop(slot.name, None)
    return names


def _top_declarations(decl: Decl, src: bytes, name: str) -> Iterator[tuple[int, Node | None]]:
    """Where the body's own statements declare `name`, with the statement if it is a `:=` alone."""
    body = nodes.find_field(decl.node, "body")
    for stmt in nodes.statements(body) if body else []:
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
