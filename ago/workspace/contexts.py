"""Build contexts: which there are beside the workspace's own, and which files none of them covers.

Invariant: a Go file of the workspace is covered by a checked context or named here; none is silent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ago.checker.results import FurtherContext
from ago.protocol.errors import AgoError
from ago.workspace.packages import Graph

COMPILED = frozenset({"go", "test", "xtest", "cgo"})
_SPELLED = re.compile(r"([a-z0-9]+)/([a-z0-9]+)((?:,[\w.]+)*)")
_CONSTRAINT = re.compile(rb"(?m)^//(?:go:build|\s*\+build)\s.*$")


@dataclass(frozen=True)
class Reach:
    """The further contexts as one snapshot sees them."""

    contexts: tuple[str, ...] = ()
    """Names of those whose facts are there, or are on their way."""
    pending: frozenset[str] = frozenset()
    """Those whose facts are still on their way."""
    packages: Mapping[str, frozenset[str]] | None = None
    """Context -> the packages that it has something to say of."""
    problems: Mapping[str, str] | None = None
    """Context -> why it could not be checked, or not all of it."""

    def concerned(self, graph: Graph, pkgs: Iterable[str]) -> tuple[str, ...]:
        """The contexts in which an edit of some packages may mean something else."""
        if not self.contexts:
            return ()
        return self.holding(graph.reverse_closure(pkg.removesuffix("_test") for pkg in pkgs))

    def holding(self, pkgs: AbstractSet[str]) -> tuple[str, ...]:
        """The contexts that have something to say of one of some packages."""
        of = self.packages or {}
        return tuple(name for name in self.contexts if not pkgs.isdisjoint(of.get(name, ())))


def name_context(context: FurtherContext) -> str:
    """`goos/goarch[,tag...]`, as configuration and answers write it."""
    return ",".join([f"{context['goos']}/{context['goarch']}", *(context["tags"] or ())])


def parse_context(text: str) -> FurtherContext:
    """A context of the configuration; AgoError config_invalid."""
    match = _SPELLED.fullmatch(text.replace(" ", ""))
    if match is None:
        message = f"{text!r} is no build context"
        raise AgoError("config_invalid", message, "write it as goos/goarch[,tag...]")
    tags = [tag for tag in match[3].split(",") if tag]
    return {"goos": match[1], "goarch": match[2], "tags": tags, "cgo": False}


def steers_build(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether a new file is meant for some builds, or an edit changes for which a file is."""
    if after is None:
        return False
    if before is None:
        stem = os.path.basename(path).removesuffix(".go").removesuffix("_test")  # noqa: PTH119
        return "_" in stem or bool(_CONSTRAINT.search(after))
    return _CONSTRAINT.findall(before) != _CONSTRAINT.findall(after)


def list_outside(graph: Graph, files: Iterable[str], compiled: Iterable[str]) -> tuple[str, ...]:
    """The Go files of the loaded modules that are not among the compiled ones, sorted."""
    elsewhere = ("/", "../", *(f"{folder}/" for folder, _ in graph.not_loaded))
    known = frozenset(compiled)
    return tuple(
        sorted(
            path
            for path in files
            if path.endswith(".go") and path not in known and not path.startswith(elsewhere)
        )
    )


def list_uncovered(graph: Graph, files: Iterable[str]) -> tuple[str, ...]:
    """The Go files of the loaded modules that no checked context compiles, sorted."""
    compiled = (path for path, (_, role) in graph.owners.items() if role in COMPILED)
    return list_outside(graph, files, compiled)
