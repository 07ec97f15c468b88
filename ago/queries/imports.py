"""What one package imports: of the workspace, of std and of other modules, tests apart.

Invariant: paths as the files write them, each once, sorted.
"""

from __future__ import annotations

from ago.protocol.requests import Imports
from ago.queries.page import list_answer, without_empty
from ago.workspace.address import resolve_package
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Imports
EXAMPLE: dict[str, Json] = {"pkg": "lib"}

KINDS = ("", "test", "xtest")
"""What alone imports, by the kind of an import in the facts."""


def answer(snapshot: Snapshot, request: Imports) -> dict[str, Json]:
    """`count` and `imports`: path, `in` (workspace, std, module), `only` for tests."""
    pkg = resolve_package(snapshot, request.pkg or request.sym)
    rows = snapshot.facts.execute(
        "SELECT i.imported, min(i.kind) FROM package_import i JOIN package k ON k.id = i.package"
        " WHERE k.pkg = ? GROUP BY i.imported ORDER BY i.imported",
        (pkg,),
    ).fetchall()
    known = snapshot.packages()

    def hit(row: tuple[str, int]) -> dict[str, Json]:
        path, kind = row
        origin = origin_of(path, path in known)
        return without_empty({"path": path, "in": origin, "only": KINDS[kind]})

    return list_answer(snapshot, request, {"pkg": pkg}, "imports", rows, hit)


def origin_of(path: str, of_workspace: bool) -> str:
    """workspace, std or module: paths of std have no dot in their first element (go/build's rule,
    `go help importpath`)."""
    if of_workspace:
        return "workspace"
    return "module" if "." in path.partition("/")[0] else "std"
