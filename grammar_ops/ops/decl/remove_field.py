"""remove_field: remove a field that nothing uses, and its value from literals without names."""

from __future__ import annotations

from typing import Literal

from grammar_ops.op import DeclOp, Notes, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import structs, uses
from grammar_ops.syntax.decls import Decl

_SPARED = (uses.SILENT_ROLES - {"promotion"}) | uses.DOC_ROLES


class RemoveField(DeclOp):
    """Remove an unused field, embedded or not; it leaves a declaration that it shares."""

    op: Literal["remove_field"] = "remove_field"

    reasons = {
        "not_a_field": "the address is no field of a struct",
        "field_still_referenced": "something uses the field, or what it promotes",
        "value_has_effect": "a literal computes the field's value by a call that would be lost",
    }
    example = [{"op": "remove_field", "pkg": "demo/sig", "sym": "Config.Legacy"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal once no use is left."""
        field = scope.resolve_decl(self.pkg, self.sym)
        if field.kind != "field":
            raise Reject("not_a_field", f"{field.sym} is a {field.kind.replace('_', ' ')}")
        left = self._left(scope, field)
        if left:
            raise uses.reject_at(scope, "field_still_referenced", field.sym, left)
        owner = scope.resolve_decl(self.pkg, field.sym.rpartition(".")[0])
        struct = structs.resolve_struct(scope, owner)
        at = structs.index_of(struct, field)
        literals = structs.list_unkeyed(scope, self.pkg, struct)
        effects = structs.effects_at(scope, literals, at)
        if effects:
            raise Reject("value_has_effect", field.sym, diagnostics=effects)
        edits = [structs.remove_field(scope.source(field.path), field)]
        edits += structs.rewrite_literals(scope, literals, at)
        notes = Notes(literals_updated=len(literals)) if literals else Notes()
        touched = ((self.pkg, owner.sym),)
        return Plan(tuple(edits), touches=touched, gone=((self.pkg, field.sym),), notes=notes)

    def _left(self, scope: Scope, field: Decl) -> list[Ref]:
        """The uses of the field; what is embedded is used by whatever it promotes, too."""
        uses.list_refs(scope, self.pkg, field.sym)  # refuses what is used outside the workspace
        return [ref for ref in scope.refs(self.pkg, field.sym) if ref.role not in _SPARED]
