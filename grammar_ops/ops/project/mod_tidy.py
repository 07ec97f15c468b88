"""mod_tidy: bring go.mod and go.sum in line with what the module imports."""

from __future__ import annotations

from typing import Literal

from grammar_ops.args import ModuleName
from grammar_ops.op import GoStep, Plan, ProjectOp
from grammar_ops.scope import Scope
from grammar_ops.syntax import modules


class ModTidy(ProjectOp):
    """Add the requirements that imports lack and drop those that nothing needs."""

    op: Literal["mod_tidy"] = "mod_tidy"
    pkg: ModuleName = ""

    ceilings = (modules.VENDORED,)
    reasons = {"go_mod_tidy_failed": "`go mod tidy` failed; detail has what it said"}
    example = [{"op": "mod_tidy"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the `go mod tidy` in the module that is meant."""
        owner = modules.resolve_owner(scope, self.pkg)
        return Plan(go_steps=(GoStep(owner.dir, ("mod", "tidy")),))
