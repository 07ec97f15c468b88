"""What changed since an edit or a commit, by declaration, with counts first.

Invariant: layout is no change; a declaration is told once, with all that became of it.
Invariant: since an edit, only files that edits of `ago log` wrote are compared.
"""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import NamedTuple

from ago.protocol.requests import Diff
from ago.queries.page import list_answer, pos_of, without_empty
from ago.workspace.address import resolve_package
from ago.workspace.files import BUILD_FILES
from ago.workspace.since import Since, texts_since
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax.changes import Change, Piece, list_changes

REQUEST = Diff
EXAMPLE: dict[str, Json] = {"since": "HEAD"}

_WIDTH = 160


class DeclChange(NamedTuple):
    """A change with the package it is of; with sym "" it is of a file."""

    pkg: str
    sym: str
    change: Change


def answer(snapshot: Snapshot, request: Diff) -> dict[str, Json]:
    """`since`, `files` and `changes` (a count for each kind), then `count` and `decls`: pkg, sym,
    kind, pos, what changed, `from` (its old address) and `was` (its old signature)."""
    pkg = resolve_package(snapshot, request.pkg) if request.pkg else ""
    since = texts_since(snapshot, request.since)
    found = changes_since(snapshot, since)
    if pkg:
        found = [one for one in found if one.pkg.removesuffix("_test") == pkg]
    head: dict[str, Json] = {
        "since": since.what,
        "pkg": pkg,
        "files": len(since.paths),
        "changes": dict(Counter(kind for one in found for kind in one.change.kinds).most_common()),
    }
    packages = _Packages(snapshot)
    return list_answer(snapshot, request, head, "decls", found, lambda one: _hit(packages, one))


def changes_since(snapshot: Snapshot, since: Since) -> list[DeclChange]:
    """The changes of declarations, and of files of the build, by file and place."""
    packages = _Packages(snapshot)
    build = [path for path in since.paths if PurePosixPath(path).name in BUILD_FILES]
    changes = [Change(("build file",), path=path) for path in build]
    old = {path: text for path, text in since.old.items() if path not in build}
    new = {path: text for path, text in since.new.items() if path not in build}
    found = []
    for change in (*changes, *list_changes(old, new)):
        piece = change.new or change.old
        if piece:
            found.append(DeclChange(packages.of(piece), piece.decl.sym, change))
        else:
            folder = str(PurePosixPath(change.path).parent)
            found.append(DeclChange(packages.at(folder), "", change))
    return found


class _Packages:
    """The packages of folders, those that are gone too."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._graph = snapshot.graph
        self._at = {info.dir or ".": info.pkg for info in snapshot.packages().values()}

    def at(self, folder: str) -> str:
        """The import path of a folder."""
        if folder in self._at:
            return self._at[folder]
        for module in sorted(self._graph.modules, key=lambda m: len(m.dir), reverse=True):
            root = PurePosixPath(module.dir or ".")
            if PurePosixPath(folder).is_relative_to(root):
                below = PurePosixPath(folder).relative_to(root)
                return str(PurePosixPath(module.path, below))
        return folder

    def of(self, piece: Piece) -> str:
        """The package that a declaration is of, an external test package by its own name."""
        in_test = piece.decl.path.endswith("_test.go")
        external = in_test and piece.clause.endswith("_test")
        return self.at(piece.folder) + ("_test" if external else "")


def _hit(packages: _Packages, one: DeclChange) -> dict[str, Json]:
    change = one.change
    piece = change.new or change.old
    hit: dict[str, Json] = {"pkg": one.pkg, "sym": one.sym}
    hit |= {"kind": piece.decl.kind if piece else ""}
    hit |= {"pos": pos_of(piece.text, piece.decl) if piece else change.path}
    hit |= {"change": [*change.kinds]}
    if change.old and change.new:
        before, now = packages.of(change.old), one
        if (before, change.old.decl.sym) != (now.pkg, now.sym):
            hit["from"] = f"{before}.{change.old.decl.sym}"
        elif change.old.decl.path != change.new.decl.path:
            hit["from"] = change.old.decl.path
        if "signature" in change.kinds:
            hit["was"] = _head(change.old)
    return without_empty(hit)


def _head(piece: Piece) -> str:
    """The signature of a function, in one line."""
    decl = piece.decl
    end = decl.body_span.start if decl.body_span else decl.span.end
    head = " ".join(piece.text[decl.span.start : end].decode("utf-8", "replace").split())
    return head if len(head) <= _WIDTH else head[: _WIDTH - 1] + "…"
