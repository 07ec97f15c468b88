"""Who imports one package: directly, and how many packages reach it in all.

Invariant: an importer is a package of the workspace; the package asked for may be of a dependency.
"""

from __future__ import annotations

import sqlite3

from ago.protocol.requests import Imports
from ago.queries.imports import KINDS
from ago.queries.page import list_answer, without_empty
from ago.workspace.address import resolve_package
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject

REQUEST = Imports
EXAMPLE: dict[str, Json] = {"pkg": "lib"}


def answer(snapshot: Snapshot, request: Imports) -> dict[str, Json]:
    """`count` and `importers` (pkg, `only` where only tests do); `reached`: packages that import it
    through others too."""
    db = snapshot.facts
    pkg = _package(snapshot, request.pkg or request.sym)
    rows = _importers(db, pkg)
    found: dict[str, Json] = {"pkg": pkg, "reached": len(reaching(db, pkg))}

    def hit(row: tuple[str, int]) -> dict[str, Json]:
        return without_empty({"pkg": row[0], "only": KINDS[row[1]]})

    return list_answer(snapshot, request, found, "importers", rows, hit)


def reaching(db: sqlite3.Connection, pkg: str) -> set[str]:
    """Packages that reach one through imports; those of tests count, but lead no further."""
    found, todo = set[str](), [pkg]
    while todo:
        for path, kind in _importers(db, todo.pop()):
            if path not in found:
                found.add(path)
                todo += [path] if kind == 0 else []
    return found


def _importers(db: sqlite3.Connection, pkg: str) -> list[tuple[str, int]]:
    """(package, kind of its import) of those that import one directly, by path."""
    return db.execute(
        "SELECT k.pkg, min(i.kind) FROM package_import i JOIN package k ON k.id = i.package"
        " WHERE i.imported = ? GROUP BY k.pkg ORDER BY k.pkg",
        (pkg,),
    ).fetchall()


def _package(snapshot: Snapshot, path: str) -> str:
    """A package of the workspace, or one of a dependency that something imports by this path."""
    try:
        return resolve_package(snapshot, path)
    except Reject:
        row = snapshot.facts.execute(
            "SELECT 1 FROM package_import WHERE imported = ? LIMIT 1", (path,)
        ).fetchone()
        if row is None:
            raise
        return path
