"""delete_decl: delete declarations that nothing refers to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.op import Ceiling, DeclOp, Plan, StillUsed
from grammar_ops.scope import Scope
from grammar_ops.syntax import deletion, uses
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.linking import warn_of_linker


class DeleteDecl(DeclOp):
    """Delete unreferenced declarations with their docs; `syms` may refer to one another.

    What later ops of the patch declare again may be referred to, and what they rewrite may refer.
    """

    op: Literal["delete_decl"] = "delete_decl"
    syms: list[str] = Field(default=[], description="several declarations, instead of sym")
    with_methods: bool = Field(False, description="take the methods of a type along")

    ceilings = (
        Ceiling("several_members", "members of one type go one by one, each by an op of its own"),
    )
    reasons = {"still_referenced": "something outside the deleted declarations refers to one"}
    example = [{"op": "delete_decl", "pkg": "demo/sig", "sym": "Unused"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal, once no reference and no constant's value depends on it."""
        gone = self._resolve(scope)
        owners = [d.sym.rpartition(".")[0] for d in gone if d.kind in deletion.MEMBERS]
        if len(set(owners)) < len(owners):
            raise self.ceiling("several_members", owners[0])
        still_used = tuple(used for decl in gone if (used := self._find_use(scope, decl, gone)))
        edits = deletion.deletion_edits(scope, self.pkg, gone)
        members = [d.sym.rpartition(".")[0] for d in gone if d.kind in deletion.MEMBERS]
        return Plan(
            tuple(edits),
            touches=tuple((self.pkg, owner) for owner in dict.fromkeys(members)),
            gone=tuple((self.pkg, decl.sym) for decl in gone),
            still_used=still_used,
            warnings=(
                *deletion.list_effects(scope, gone),
                *(told for d in gone for told in warn_of_linker(scope, self.pkg, d, "gone")),
            ),
        )

    def _resolve(self, scope: Scope) -> list[Decl]:
        """The declarations that are to go."""
        gone = [scope.resolve_decl(self.pkg, sym) for sym in self.syms or [self.sym]]
        if self.with_methods:
            gone += [m for decl in gone for m in deletion.list_methods(scope, self.pkg, decl)]
        return list({(d.path, d.name_span): d for d in gone}.values())

    def _find_use(self, scope: Scope, decl: Decl, gone: list[Decl]) -> StillUsed | None:
        """What still refers to a declaration, None when nothing does."""
        left = deletion.list_left(scope, self.pkg, decl, gone)
        if not left and not uses.is_in_assembly(scope, self.pkg, decl.sym):
            return None
        methods = [d.sym for d in deletion.list_methods(scope, self.pkg, decl) if d not in gone]
        detail = f"; its methods: {', '.join(methods)}" if methods else ""
        reject = uses.reject_at(scope, "still_referenced", f"{decl.sym}{detail}", left)
        return uses.still_used(reject, self.pkg, decl.sym, left)
