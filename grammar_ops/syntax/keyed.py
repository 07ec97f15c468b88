"""Keyed literals: field names for struct literals that a move parts from their type.

Invariant: a literal that lists values without names stands in the package of its type; elsewhere a
field that is added to the type would break it, and go vet asks for names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grammar_ops.edit import Edit, Span
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, structs
from grammar_ops.syntax.structs import Literal, Struct


def list_unkeyed(scope: Scope, types: Iterable[tuple[str, str]]) -> list[tuple[Literal, Struct]]:
    """The literals without field names in the packages of the struct types given, with the type."""
    out = []
    for pkg, sym in sorted(set(types)):
        info = scope.find_object(pkg, sym)
        if info is None or info.kind != "type":
            continue
        decl = scope.resolve_decl(pkg, sym)
        if nodes.struct_body(decl.node) is None:
            continue
        struct = structs.resolve_struct(scope, decl)
        found = structs.list_unkeyed(scope, pkg, struct)
        out += [(lit, struct) for lit in found if scope.package_of(lit.path) == pkg]
    return out


def key_edits(literal: Literal, struct: Struct, renamed: Mapping[str, str]) -> list[Edit]:
    """The insertions that name the field of each value; none where a field has no name."""
    names = [renamed.get(field.sym, field.name) for field in struct.fields]
    if "_" in names or len(names) != len(literal.listed.elements):
        return []
    starts = [element.node.start_byte for element in literal.listed.elements]
    return [
        Edit(literal.path, Span(at, at), f"{name}: ".encode())
        for at, name in zip(starts, names, strict=True)
    ]
