"""Build contexts: which files the loaded one covers, and which it leaves out.

Invariant: a Go file of the workspace is covered by a loaded context or named here; none is silent.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ago.workspace.packages import Graph


def list_uncovered(graph: Graph, files: Iterable[str]) -> tuple[str, ...]:
    """The Go files of the loaded modules that no loaded context compiles, sorted."""
    compiled = {"go", "test", "xtest", "cgo"}
    elsewhere = tuple(f"{folder}/" for folder, _ in graph.not_loaded)
    out = []
    for path in files:
        if not path.endswith(".go") or path.startswith(("/", *elsewhere)):
            continue
        owner = graph.owners.get(path)
        if owner is None or owner[1] not in compiled:
            out.append(path)
    return tuple(sorted(out))


def uncovered_of(graph: Graph, uncovered: Iterable[str], pkg: str) -> tuple[str, ...]:
    """Those of the uncovered files that lie in a package's own folder."""
    info = graph.packages.get(pkg)
    folder = "" if info is None or info.dir == "." else info.dir
    return tuple(path for path in uncovered if os.path.dirname(path) == folder)  # noqa: PTH120
