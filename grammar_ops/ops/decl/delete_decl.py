"""delete_decl: delete declarations that nothing refers to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.edit import Edit
from grammar_ops.op import Ceiling, DeclOp, Plan
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import groups, uses
from grammar_ops.syntax.decls import Decl, list_decls


class DeleteDecl(DeclOp):
    """Delete unreferenced declarations with their docs; `syms` may refer to one another."""

    op: Literal["delete_decl"] = "delete_decl"
    syms: list[str] = Field(default=[], description="several declarations, instead of sym")

    ceilings = (Ceiling("member_of_type", "a field or interface method goes with upsert_decl"),)
    reasons = {"still_referenced": "something outside the deleted declarations refers to one"}
    example = [{"op": "delete_decl", "pkg": "demo/sig", "sym": "Unused"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal, once no reference and no constant's value depends on it."""
        gone = [scope.resolve_decl(self.pkg, sym) for sym in self.syms or [self.sym]]
        for decl in gone:
            if decl.kind in ("field", "interface_method"):
                raise self.ceiling("member_of_type", decl.sym)
            groups.refuse_multi_name(decl)
        for decl in gone:
            if decl.group is not None:
                mates = [d for d in gone if d.path == decl.path and d.group]
                inside = [d.node for d in mates if decl.group.span.contains(d.span)]
                groups.refuse_shift(scope.source(decl.path), decl.group, inside)
        for decl in gone:
            left = list_left(scope, self.pkg, decl, gone)
            if left or uses.is_in_assembly(scope, self.pkg, decl.sym):
                methods = own_methods(scope, decl)
                detail = f"; its methods: {', '.join(methods)}" if methods else ""
                raise uses.reject_at(scope, "still_referenced", f"{decl.sym}{detail}", left)
        paths = sorted({decl.path for decl in gone})
        edits = []
        for path in paths:
            spans = groups.removal_spans(scope.source(path), [d for d in gone if d.path == path])
            edits += [Edit(path, span, b"") for span in spans]
        return Plan(tuple(edits), gone=tuple((self.pkg, decl.sym) for decl in gone))


def list_left(scope: Scope, pkg: str, decl: Decl, gone: list[Decl]) -> list[Ref]:
    """The references that would be left behind; a method goes with its receiver's type."""
    if decl.kind == "method" and any(d.sym == decl.sym.split(".")[0] for d in gone):
        return []
    return [
        ref
        for ref in uses.list_refs(scope, pkg, decl.sym)
        if ref.role not in uses.SILENT_ROLES | uses.DOC_ROLES
        and not any(ref.path == d.path and d.full_span.contains(ref.span) for d in gone)
    ]


def own_methods(scope: Scope, decl: Decl) -> list[str]:
    """The methods of a type that its own file declares."""
    if decl.kind != "type":
        return []
    found = list_decls(scope.tree(decl.path), scope.source(decl.path))
    return [d.sym for d in found if d.kind == "method" and d.sym.split(".")[0] == decl.sym]
