"""Modules as targets of ops: the one that is meant, and which files import from another.

Invariant: what a go.mod becomes is planned as a step of the go command, never written here.
"""

from __future__ import annotations

from grammar_ops.op import Ceiling
from grammar_ops.reject import Finding, Reject
from grammar_ops.scope import ModuleInfo, Scope
from grammar_ops.syntax import gomod
from grammar_ops.syntax.findings import LIMIT, point_at
from grammar_ops.syntax.imports import list_imports, parse_head

VENDORED = Ceiling(
    "vendored_module",
    "a module with a vendor folder: go.mod and vendor/ change together, run `go get` or `go mod"
    " tidy`, then `go mod vendor`",
)
REQUIRED = {"module_required": "the op needs the path of a module"}


def resolve_owner(scope: Scope, pkg: str) -> ModuleInfo:
    """The module whose go.mod an op is to change; Reject vendored_module."""
    owner = scope.resolve_module(pkg)
    if owner.vendored:
        raise Reject(VENDORED.id, f"{owner.path} in {owner.dir}")
    return owner


def list_importers(
    scope: Scope, owner: ModuleInfo, name: str, modules: set[str]
) -> tuple[Finding, ...]:
    """The imports of packages of module `name` in the files of `owner`, the first few.

    What an earlier op of the patch left without a use does not count: it goes with the edit.
    """
    found: list[Finding] = []
    for path in scope.module_files(owner.path):
        source = scope.source(path)
        if name.encode() not in source:
            continue
        unused = _left_unused(scope, path) if scope.written(path) else set()
        for known in list_imports(parse_head(source), source):
            if gomod.provider_of(known.path, modules) == name and known.path not in unused:
                found.append(point_at(source, path, known.span.start, f"imports {known.path}"))
    return tuple(found[:LIMIT])


def _left_unused(scope: Scope, path: str) -> set[str]:
    rows = scope.ask({"kind": "imports", "file": path}).get("imports")
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {str(row["path"]) for row in found if row.get("used_before") and not row.get("used")}
