"""add_dependency: require a module, or another version of one, in go.mod and go.sum."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import ModuleName
from grammar_ops.op import GoStep, Plan, ProjectOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import gomod, modules


class AddDependency(ProjectOp):
    """Require a module, at its latest or a given version, as `go get` does."""

    op: Literal["add_dependency"] = "add_dependency"
    module: str = Field(description="module path, or a package of it; `path@version` is taken too")
    version: str = Field("", description="version or query such as v1.2, empty = latest")
    pkg: ModuleName = ""

    ceilings = (modules.VENDORED,)
    reasons = {
        **modules.REQUIRED,
        "bad_module": "that is no module path, or no version",
        "go_get_failed": "`go get` failed; detail has what it said",
    }
    example = [{"op": "add_dependency", "module": "golang.org/x/sync", "version": "v0.10.0"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the `go get` in the module that is meant."""
        name, _, version = self.module.strip().partition("@")
        version = self.version.strip() or version or "latest"
        if not name:
            raise Reject("module_required", "module: the path of a module")
        if not gomod.is_module_path(name) or not gomod.is_version_query(version):
            raise Reject("bad_module", f"{name}@{version}")
        owner = modules.resolve_owner(scope, self.pkg)
        return Plan(go_steps=(GoStep(owner.dir, ("get",), f"{name}@{version}"),))
