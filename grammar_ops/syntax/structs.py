"""Structs: where a field goes or what goes with one, and the literals that list all fields.

Invariant: comments stay with the fields that they belong to; a literal is only rewritten where each
of its elements can be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Finding, Reject, register
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import docs, nodes, uses
from grammar_ops.syntax.decls import Decl, list_members
from grammar_ops.syntax.effects import find_effects
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.fitting import fit_into
from grammar_ops.syntax.layout import line_indent, removal_span
from grammar_ops.syntax.lists import Item, Listed, read_list, rewrite_list
from grammar_ops.syntax.rewrite import Rewrite, gather

register(
    "grammar",
    {
        "not_a_struct": "the declaration writes no struct type",
        "value_has_effect": "a literal computes the field's value by a call that would be lost",
    },
)

# An embedded field is used by whatever it promotes, too.
_SPARED = (uses.SILENT_ROLES - {"promotion"}) | uses.DOC_ROLES


class Struct(NamedTuple):
    """A declared struct: its declaration, its braces, its fields in order (one for each name)."""

    decl: Decl
    body: Node
    fields: tuple[Decl, ...]


class Literal(NamedTuple):
    """A composite literal without field names."""

    path: str
    node: Node
    listed: Listed


def resolve_struct(scope: Scope, decl: Decl) -> Struct:
    """The struct that a type, a variable or a field is declared with; Reject(not_a_struct)."""
    body = nodes.struct_body(decl.node) if decl.kind not in ("func", "method") else None
    if body is None:
        raise Reject("not_a_struct", f"{decl.sym} is declared by no struct of its own")
    own = [f for f in list_members(decl, scope.source(decl.path)) if f.node.parent == body]
    return Struct(decl, body, tuple(own))


def insert_field(src: bytes, struct: Struct, lines: Sequence[str], at: int) -> Edit:
    """The insertion of a field, given as lines, as name `at` of the struct."""
    body, path = struct.body, struct.decl.path
    indent = line_indent(src, struct.decl.span.start) + "\t"
    if at:
        before = struct.fields[at - 1]
        place, indent = before.full_span.end, line_indent(src, before.span.start) or indent
    else:
        place = docs.trailing_end(src, body.children[0])
    if not struct.fields:
        place = body.children[-1].start_byte
        place = docs.line_start(src, place) if docs.begins_line(src, place) else place
        text = "".join(f"{indent}{line}\n" for line in lines)
        lead = "" if src[:place].endswith(b"\n") else "\n"
        return Edit(path, Span(place, place), f"{lead}{text}".encode())
    above, below = _blank_lines(src, struct, lines, at)
    text = above + "".join(f"\n{indent}{line}" for line in lines) + below
    tail = "" if docs.ends_line(src, place) or src[place : place + 1] == b";" else "\n"
    return Edit(path, Span(place, place), f"{text}{tail}".encode())


def _blank_lines(src: bytes, struct: Struct, lines: Sequence[str], at: int) -> tuple[str, str]:
    """The line breaks above and below a new field that keep documented fields apart, in a struct
    where blank lines do."""
    fields = struct.fields
    gaps = [_is_apart(src, *pair) for pair in pairwise(fields) if _has_doc(src, pair[1])]
    if not gaps or not all(gaps):
        return "", ""
    documented = len(lines) > 1
    if at == 0:
        return "", "\n" * (documented or _has_doc(src, fields[0]))
    if at < len(fields) and not _is_apart(src, fields[at - 1], fields[at]):
        return "", ""
    return "\n" * (documented or _has_doc(src, fields[at - 1])), ""


def _has_doc(src: bytes, field: Decl) -> bool:
    return b"\n" in src[field.full_span.start : field.span.start]


def _is_apart(src: bytes, field: Decl, following: Decl) -> bool:
    return src[field.full_span.end : following.full_span.start].count(b"\n") > 1


def list_unkeyed(scope: Scope, pkg: str, struct: Struct) -> list[Literal]:
    """The literals that list the values of the struct's fields without their names."""
    syms = (struct.decl.sym, *(field.sym for field in struct.fields))
    refs = [(sym, ref) for sym in syms for ref in scope.refs(pkg, sym) if ref.role == "unkeyed"]
    found: dict[tuple[str, int], Literal] = {}
    for sym, ref in refs:
        root, opens = scope.tree(ref.path).root_node, sym == struct.decl.sym
        node = nodes.find_literal(root, ref.span.start, opens=opens)
        if node is None or node.has_error:
            continue  # what the tree can't read is left for the compiler to refuse
        listed = read_list(scope.source(ref.path), node.children[0], node.children[-1])
        if len(listed.elements) == len(struct.fields):  # else an earlier op fits it, or nothing
            found[ref.path, node.start_byte] = Literal(ref.path, node, listed)
    return [found[key] for key in sorted(found)]


def rewrite_literals(
    scope: Scope, literals: Sequence[Literal], at: int, value: str | None = None,
    home: tuple[str, str] | None = None,
) -> list[Rewrite]:  # fmt: skip
    """The rewritten files where each literal gets a value, said in `home`, as element `at`, or
    that element is taken out."""
    rewrites: dict[str, Rewrite] = {}
    # One literal may stand in an element of another: inner ones first.
    for literal in sorted(literals, key=lambda lit: -lit.node.start_byte):
        path, listed = literal.path, literal.listed
        rewrite = rewrites.setdefault(path, Rewrite(path, scope.source(path)))
        items = [Item(index) for index in range(len(listed.elements))]
        middle = []
        if value is not None:
            place = literal.node.start_byte
            middle = [Item(None, fit_into(scope, rewrite, place, value, home))]
        rewrite_list(rewrite, listed, items[:at] + middle + items[at + (value is None) :])
    return [*rewrites.values()]


def effects_at(scope: Scope, literals: Sequence[Literal], at: int) -> tuple[Finding, ...]:
    """The calls and receives in element `at` of the literals, which are lost without it."""
    return tuple(
        point_at(scope.source(lit.path), lit.path, node.start_byte, "computed here")
        for lit in literals
        for node in find_effects(scope, lit.path, lit.listed.elements[at].node)
    )


def list_uses(scope: Scope, pkg: str, field: Decl) -> list[Ref]:
    """The uses of a field, but for its values in literals without field names."""
    uses.list_refs(scope, pkg, field.sym)  # refuses what is used outside the workspace
    return [ref for ref in scope.refs(pkg, field.sym) if ref.role not in _SPARED]


def removal_edits(scope: Scope, pkg: str, field: Decl) -> list[Edit]:
    """The edits that take a field out of its struct and its value out of literals without names."""
    struct = resolve_struct(scope, scope.resolve_decl(pkg, field.sym.rpartition(".")[0]))
    at = next(i for i, f in enumerate(struct.fields) if f.name_span == field.name_span)
    literals = list_unkeyed(scope, pkg, struct)
    effects = effects_at(scope, literals, at)
    if effects:
        raise Reject("value_has_effect", field.sym, diagnostics=effects)
    src = scope.source(field.path)
    removal = remove_field(src, field)
    if len(struct.fields) == 1 and not _has_comments(struct, field):
        # Nothing is left between the braces: no line is, either.
        keyword = struct.body.prev_sibling
        start = keyword.end_byte if keyword is not None else struct.body.start_byte
        removal = Edit(field.path, Span(start, struct.body.end_byte), b"{}")
    return [removal, *gather(rewrite_literals(scope, literals, at))[0]]


def _has_comments(struct: Struct, field: Decl) -> bool:
    """Whether the struct holds comments that are not the field's."""
    comments = (n for n in struct.body.children if n.type == nodes.COMMENT)
    return any(not field.full_span.contains(nodes.span_of(n)) for n in comments)


def remove_field(src: bytes, field: Decl) -> Edit:
    """The removal of a field with its doc, or of its name from a declaration of several."""
    if field.name_count == 1:
        return Edit(field.path, removal_span(src, _own_span(src, field)), b"")
    names = nodes.name_nodes(field.node)
    index = next(i for i, name in enumerate(names) if nodes.span_of(name) == field.name_span)
    if index + 1 < len(names):
        return Edit(field.path, Span(names[index].start_byte, names[index + 1].start_byte), b"")
    return Edit(field.path, Span(names[index - 1].end_byte, names[index].end_byte), b"")


def _own_span(src: bytes, field: Decl) -> Span:
    start = field.full_span.start if docs.begins_line(src, field.span.start) else field.span.start
    return Span(start, field.full_span.end)


def find_field(struct: Struct, name: str) -> Decl | None:
    """The struct's own field of a name."""
    return next((f for f in struct.fields if f.name == name), None)
