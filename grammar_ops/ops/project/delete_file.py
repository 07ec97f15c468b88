"""delete_file: delete a Go file that nothing else depends on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Notes, Plan, ProjectOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import uses
from grammar_ops.syntax.decls import list_decls
from grammar_ops.syntax.files import clean_path


class DeleteFile(ProjectOp):
    """Delete a Go file once nothing outside it uses what it declares."""

    op: Literal["delete_file"] = "delete_file"
    path: str = Field(description="path of the file below the workspace")

    reasons = {
        "path_required": "give the path of a file",
        "file_declares_referenced": "something outside the file uses what it declares",
    }
    example = [{"op": "delete_file", "path": "lib/helper_test.go"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal; what ran by itself is told."""
        path = clean_path(self.path)
        if not path:
            raise Reject("path_required")
        decls = list_decls(scope.tree(path), scope.source(path), path)
        pkg = scope.package_of(path) if path.endswith(".go") else None
        if pkg is None:
            raise Reject("file_not_found", f"{path} is no Go file of a package")
        named = [d for d in decls if d.name not in ("_", "init")]
        left = [
            ref
            for decl in named
            for ref in uses.list_refs(scope, pkg, decl.sym)
            if ref.path != path and ref.role not in uses.SILENT_ROLES | uses.DOC_ROLES
        ]
        if left:
            names = sorted({d.sym for d in named})
            raise uses.reject_at(scope, "file_declares_referenced", ", ".join(names), left)
        ran = [d.sym for d in decls if d.sym == "init"]
        notes = Notes(no_longer_runs=ran) if ran else Notes()
        gone = tuple((pkg, d.sym) for d in named)
        return Plan((Edit(path, Span(0, 0), None),), gone=gone, notes=notes)
