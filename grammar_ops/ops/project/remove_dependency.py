"""remove_dependency: drop a module that nothing imports from go.mod."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import ModuleName
from grammar_ops.near import near_names
from grammar_ops.op import GoStep, Plan, ProjectOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import gomod, modules


class RemoveDependency(ProjectOp):
    """Drop the requirement of a module that no file imports any more."""

    op: Literal["remove_dependency"] = "remove_dependency"
    module: str = Field(description="path of a module that go.mod requires")
    pkg: ModuleName = ""

    ceilings = (modules.VENDORED,)
    reasons = {
        **modules.REQUIRED,
        "module_still_imported": "files import packages of the module; diagnostics say where",
        "module_not_required": "go.mod requires no module of that path",
    }
    example = [{"op": "remove_dependency", "module": "golang.org/x/sync"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the `go get module@none`, once no file of the module imports from it."""
        name = self.module.strip()
        if not name:
            raise Reject("module_required", "module: the path of a module")
        owner = modules.resolve_owner(scope, self.pkg)
        path = gomod.file_of(owner.dir)
        requires = gomod.read_module_file(scope.source(path)).requires
        if name not in requires:
            near = near_names(name, requires)
            raise Reject("module_not_required", f"{path}: {name}", did_you_mean=near)
        if found := modules.list_importers(scope, owner, name, {*requires, owner.path}):
            raise Reject("module_still_imported", name, diagnostics=found)
        return Plan(go_steps=(GoStep(owner.dir, ("get",), f"{name}@none"),))
