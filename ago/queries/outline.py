"""Outlines: what a file or a package declares, a line for each declaration.

Invariant: made from syntax alone, so a file outside the build or with errors has one too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ago.queries.page import paginate, pos_of, without_empty
from ago.workspace.address import Address
from ago.workspace.declared import decls_of
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax.decls import Decl

_WIDTH = 120


def outline_file(snapshot: Snapshot, address: Address) -> dict[str, Json]:
    """Every declaration of one file: line, symbol and first line."""
    decls = list(_lines(snapshot, address.path, address.pkg))
    found: dict[str, Json] = {
        "pkg": address.pkg,
        "file": address.path,
        "generated": snapshot.is_generated(address.path),
        "resolved": address.resolved,
    }
    page = paginate("decls", len(decls), decls, 0, snapshot.budget_tokens)
    return {"status": "ok", **without_empty(found), **page}


def outline_package(snapshot: Snapshot, address: Address) -> dict[str, Json]:
    """The files of a package, tests last, with what each declares."""
    info = snapshot.package(address.pkg)
    files = info.files if info else ()
    decls = [
        line
        for path, role in sorted(files, key=lambda f: (f[1] in ("test", "xtest"), f[0]))
        for line in _lines(snapshot, path, address.pkg)
    ]
    found: dict[str, Json] = {
        "pkg": address.pkg,
        "name": info.name if info else "",
        "dir": info.dir if info else "",
        "files": [path.rpartition("/")[2] for path, _ in files],
        "resolved": address.resolved,
    }
    page = paginate("decls", len(decls), decls, 0, snapshot.budget_tokens)
    return {"status": "ok", **without_empty(found), **page}


def _lines(snapshot: Snapshot, path: str, pkg: str) -> Iterator[dict[str, Json]]:
    text = snapshot.read(path) or b""
    for decl in decls_of(snapshot, path):
        yield {"sym": decl.sym, "pos": pos_of(text, decl), "decl": _head(text, decl)}


def _head(text: bytes, decl: Decl) -> str:
    """The declaration's first line, without its opening brace."""
    end = decl.body_span.start if decl.body_span else decl.span.end
    lines = text[decl.span.start : end].decode("utf-8", "replace").strip().splitlines()
    head = lines[0].rstrip(" {") if lines else decl.sym
    if len(lines) > 1 and decl.body_span:
        head = " ".join(part.strip() for part in lines)
    return head if len(head) <= _WIDTH else head[: _WIDTH - 1] + "…"
