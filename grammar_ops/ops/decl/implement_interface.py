"""implement_interface: give a type the methods of an interface that it lacks, as stubs."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from grammar_ops.args import GoStmts, GoType
from grammar_ops.op import DeclOp, ImportWish, Notes, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, stubs
from grammar_ops.syntax.bodies import check_body
from grammar_ops.syntax.landing import land_new
from grammar_ops.syntax.newdecl import parse_new_decl

PANIC = 'panic("not implemented")'


class ImplementInterface(DeclOp):
    """Add a stub for each method of an interface that a type lacks, behind its last method."""

    op: Literal["implement_interface"] = "implement_interface"
    interface: GoType = Field(description="the interface: Name, pkg.Name, path/pkg.Name, with [T]")
    body: GoStmts = Field(PANIC, description="statements of each stub")

    reasons = {"not_a_defined_type": "methods belong to a defined type that is no interface"}
    example = [{"op": "implement_interface", "sym": "Store", "interface": "fmt.Stringer"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the stubs and the imports of their signatures."""
        decl = scope.resolve_decl(self.pkg, self.sym)
        if decl.kind != "type" or nodes.takes_no_methods(decl.node):
            raise Reject("not_a_defined_type", decl.sym)
        complaint = check_body(scope, self.body)
        if complaint is not None:
            raise Reject("body_does_not_parse", complaint)
        missing, imports = stubs.list_missing(scope, decl, self.interface.strip())
        receiver = stubs.find_receiver(scope, self.pkg, decl)
        texts = stubs.write_stubs(receiver, missing, self.interface.strip(), self.body)
        new = parse_new_decl(scope, texts[0])
        joined = "\n\n".join(texts).removeprefix(new.doc)
        edit, _ = land_new(scope, self.pkg, replace(new, text=joined))
        wishes = [
            ImportWish(edit.path, str(row["path"]), str(row["name"]))
            for row in imports
            if isinstance(row, dict)
        ]
        names = [f"{decl.sym}.{method.name}" for method in missing]
        touches = tuple((self.pkg, name) for name in names)
        return Plan(
            (edit,), touches=touches, imports=tuple(wishes), notes=Notes(methods_added=names)
        )
