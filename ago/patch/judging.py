"""Who judges an edit and by which rules: the request's wishes over the configuration's.

Invariant: a machine without agocheck still edits; what it can't prove is said by the gate.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ago.checker.checker import Checker, CheckResult, TypeOracle
from ago.checker.client import FurtherChecker
from ago.checker.gofmt import Gofmt
from ago.checker.toolchain import Toolchain
from ago.config import Config
from ago.facts import read
from ago.gate.gate import Rules
from ago.gate.views import ViewChecker
from ago.protocol.errors import CheckerUnavailable
from ago.protocol.requests import Mutation
from ago.stages import Candidate
from ago.workspace.packages import OK, Graph
from ago.workspace.snapshot import Snapshot
from ago.workspace.workspace import Workspace


@dataclass(frozen=True)
class Checkers:
    """The resident checker where there is one, and who answers questions about text."""

    resident: Checker | None
    oracle: TypeOracle

    @property
    def typed(self) -> bool:
        """Whether questions about types can be answered."""
        return self.resident is not None


def checkers_of(workspace: Workspace, snapshot: Snapshot) -> Checkers:
    """The resident checker, started when needed; gofmt alone where agocheck can't be had."""
    if not snapshot.typed:
        return Checkers(None, Gofmt(workspace.go))
    try:
        workspace.start()
    except CheckerUnavailable:
        return Checkers(None, Gofmt(workspace.go))
    return Checkers(workspace.resident, workspace.oracle)


def views_of(workspace: Workspace, graph: Graph, paths: Collection[str]) -> list[ViewChecker]:
    """The modules with builds of their own that see one of some files."""
    return [
        ViewChecker(
            view.dir,
            view.module,
            workspace.views.checker(view.dir) if view.state == OK else None,
            Toolchain(workspace.root, workspace.go, folder=view.dir),
            view.state or "it was not loaded, since too many take modules from the workspace",
        )
        for view in graph.views
        if view.concerns(paths)
    ]


@dataclass(frozen=True)
class ContextBuild:
    """A further build context that an edit concerns."""

    checker: FurtherChecker
    toolchain: Toolchain

    @property
    def context(self) -> str:
        """Its name."""
        return self.checker.context

    def beside(self, apis: Mapping[str, str]) -> Checker:
        """It as a checker of an edit that gives packages of the own build these API hashes."""
        return self.checker.beside(apis)


def builds_of(
    workspace: Workspace, snapshot: Snapshot, candidate: Candidate, own: CheckResult
) -> list[ContextBuild]:
    """The further build contexts that an edit concerns, by the own build's word on it."""
    layers = {**candidate.buffers, **candidate.files}
    changes = {path: (file.base, file.text) for path, file in layers.items()}
    return [
        ContextBuild(found, Toolchain(workspace.root, found.go(workspace.go), apart=True))
        for found in workspace.builds(snapshot, changes, own)
    ]


def rules_of(request: Mutation, config: Config, snapshot: Snapshot) -> Rules:
    """The gate's rules for one request; only the toolchain has vet's word before the write."""
    return Rules(
        gate="toolchain" if config.strict_vet else request.gate or config.gate,
        allow_rebind=request.allow_rebind,
        strict=config.proof == "strict",
        strict_vet=config.strict_vet,
        context=snapshot.context,
        asked=lambda: read.asked_methods(snapshot.facts),
    )
