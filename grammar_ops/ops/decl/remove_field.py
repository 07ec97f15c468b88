"""remove_field: remove a field that nothing uses, and its value from literals without names."""

from __future__ import annotations

from typing import Literal

from grammar_ops.op import DeclOp, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import structs, uses


class RemoveField(DeclOp):
    """Remove an unused field, embedded or not; it leaves a declaration that it shares."""

    op: Literal["remove_field"] = "remove_field"

    reasons = {
        "not_a_field": "the address is no field of a struct",
        "field_still_referenced": "something uses the field, or what it promotes",
    }
    example = [{"op": "remove_field", "pkg": "demo/sig", "sym": "Config.Legacy"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal once no use is left."""
        field = scope.resolve_decl(self.pkg, self.sym)
        if field.kind != "field":
            raise Reject("not_a_field", f"{field.sym} is a {field.kind.replace('_', ' ')}")
        left = structs.list_uses(scope, self.pkg, field)
        reject = uses.reject_at(scope, "field_still_referenced", field.sym, left)
        edits = structs.removal_edits(scope, self.pkg, field)
        owner = field.sym.rpartition(".")[0]
        return Plan(
            tuple(edits),
            touches=((self.pkg, owner),),
            gone=((self.pkg, field.sym),),
            still_used=(uses.still_used(reject, self.pkg, field.sym, left),) if left else (),
        )
