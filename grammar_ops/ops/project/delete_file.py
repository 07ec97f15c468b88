"""delete_file: delete Go files that nothing else depends on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Notes, Plan, ProjectOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import uses
from grammar_ops.syntax.decls import Decl, list_decls
from grammar_ops.syntax.files import clean_path


class DeleteFile(ProjectOp):
    """Delete a Go file once nothing outside it uses what it declares; `paths` go together.

    What other ops of the patch declare anew may be used, and what they rewrite may use it.
    """

    op: Literal["delete_file"] = "delete_file"
    path: str = Field("", description="path of the file below the workspace")
    paths: list[str] = Field(default=[], description="several files, instead of path")

    reasons = {
        "path_required": "give the path of a file",
        "file_declares_referenced": "something outside the file uses what it declares",
    }
    example = [{"op": "delete_file", "path": "lib/helper_test.go"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal; what ran by itself is told."""
        paths = [clean_path(path) for path in self.paths or [self.path]]
        if not all(paths):
            raise Reject("path_required")
        owners = {path: self._owner(scope, path) for path in paths}
        decls = [(owners[path], d) for path in owners for d in _decls(scope, path)]
        named = [(pkg, d) for pkg, d in decls if d.name not in ("_", "init")]
        found = [(pkg, d.sym, _list_left(scope, pkg, d.sym, paths)) for pkg, d in named]
        used = [(pkg, sym, left) for pkg, sym, left in found if left]
        names = ", ".join(sorted({sym for _, sym, _ in used}))
        refs = [ref for _, _, left in used for ref in left]
        reject = uses.reject_at(scope, "file_declares_referenced", names, refs)
        still_used = tuple(uses.still_used(reject, pkg, sym, left) for pkg, sym, left in used)
        ran = [d.sym for _, d in decls if d.sym == "init"]
        notes = Notes(no_longer_runs=ran) if ran else Notes()
        gone = tuple((pkg, d.sym) for pkg, d in named)
        edits = tuple(Edit(path, Span(0, 0), None) for path in dict.fromkeys(paths))
        return Plan(edits, gone=gone, still_used=still_used, notes=notes)

    def _owner(self, scope: Scope, path: str) -> str:
        """The package of a file."""
        pkg = scope.package_of(path) if path.endswith(".go") else None
        if pkg is None:
            raise Reject("file_not_found", f"{path} is no Go file of a package")
        return pkg


def _list_left(scope: Scope, pkg: str, sym: str, paths: list[str]) -> list[Ref]:
    """The uses of a declaration in other files."""
    refs = uses.list_refs(scope, pkg, sym)
    spared = uses.SILENT_ROLES | uses.DOC_ROLES
    return [ref for ref in refs if ref.path not in paths and ref.role not in spared]


def _decls(scope: Scope, path: str) -> list[Decl]:
    return list_decls(scope.tree(path), scope.source(path), path)
