"""The standing errors of the workspace or of one package: what the compiler says of it as it is.

Invariant: an error that several variants have is told once; by file and line.
"""

from __future__ import annotations

from ago.facts.read import STANDING
from ago.protocol.requests import Diagnostics
from ago.queries.page import list_answer, without_empty
from ago.workspace.address import resolve_package
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Diagnostics
EXAMPLE: dict[str, Json] = {"pkg": "lib"}


def answer(snapshot: Snapshot, request: Diagnostics) -> dict[str, Json]:
    """`count` and `diagnostics`: pos, msg, code, `source` where it is not the type checker,
    `context` where the own build is free of it."""
    pkg = resolve_package(snapshot, request.pkg) if request.pkg else ""
    rows = snapshot.facts.execute(STANDING).fetchall()
    if pkg:
        info = snapshot.package(pkg)
        files = {path for path, _ in info.files} if info else set()
        rows = [row for row in rows if row[0] in files]
    return list_answer(snapshot, request, {"pkg": pkg}, "diagnostics", rows, _hit)


def _hit(row: tuple[str, int, int, str, str, str, str]) -> dict[str, Json]:
    file, line, col, msg, code, source, context = row
    return without_empty(
        {
            "pos": f"{file}:{line}:{col}" if line else file,
            "msg": msg,
            "code": code,
            "source": source if source != "types" else "",
            "context": context,
        }
    )
