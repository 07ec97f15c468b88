"""Checker: what judges an overlay; two implementations, one protocol, and their values.

Invariant: a checker judges; it never decides. Baseline, proofs and the verdict are the gate's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from grammar_ops.reject import Json

Overlay = Mapping[str, bytes | None]
"""Workspace-relative posix path -> proposed bytes, None = deleted."""

Pieces = tuple[tuple[int, int, int], ...]
"""Surviving pieces of a file: (base start, candidate start, length), ascending, disjoint."""


class UnitKey(NamedTuple):
    """One compilation: package under test and variant ("" primary, "test" in-package, "xtest"
    external)."""

    pkg: str
    variant: str


class Diagnostic(NamedTuple):
    """A finding; line and col are 1-based bytes, offset and end are bytes (-1 = unknown)."""

    file: str
    line: int
    col: int
    offset: int
    end: int
    code: str
    msg: str
    source: str
    """syntax, types, rule, list, toolchain or vet."""
    soft: bool = False
    revealed: bool = False
    context: str = ""
    """The further build context that it was found in, "" in the workspace's own."""


class Change(NamedTuple):
    """A surviving identifier (or control statement, or initialiser order) that means something else
    now."""

    kind: str
    file: str
    line: int
    col: int
    offset: int
    base_offset: int
    name: str
    old: str
    new: str
    pkg: str
    variant: str
    context: str = ""
    """The further build context that it was found in, "" in the workspace's own."""


@dataclass(frozen=True)
class UnitVerdict:
    """What a checker found in one unit of the dirty set, and what stood there before."""

    key: UnitKey
    diagnostics: tuple[Diagnostic, ...]
    base: tuple[Diagnostic, ...]
    rebind: bool = False


@dataclass(frozen=True)
class CheckResult:
    """A checker's whole word on one overlay."""

    candidate: str
    """Token to advance the resident checker with; "" from the toolchain."""
    judged: bool
    """False: this checker can't speak for the edit (see `tainted`)."""
    units: tuple[UnitVerdict, ...]
    changes: tuple[Change, ...] = ()
    apis: Mapping[str, str] = field(default_factory=dict)
    """API hashes of the changed packages that are still there."""
    reaches: tuple[str, ...] | None = None
    """Packages in which the overlay may mean something new: the edited ones, what they import
    newly, and what mentions something changed. None from who can't tell."""
    elsewhere: tuple[str, ...] = ()
    """Files of other builds that mention something changed."""
    left: tuple[str, ...] = ()
    """Files of the overlay that the build does not compile."""
    blind: frozenset[str] = frozenset()
    """Packages that this checker could not look into, nor into their base."""
    tainted: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    ms: int = 0


@dataclass(frozen=True)
class FormatItem:
    """One file to format: text, the base it came from (None = new file), touched declarations in
    `text`."""

    path: str
    text: bytes
    base: bytes | None
    decls: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Formatted:
    """The formatted text, or the first syntax diagnostic; pieces map the given text to the
    formatted one."""

    path: str
    text: bytes
    pieces: Pieces
    error: Diagnostic | None = None


@dataclass(frozen=True)
class CheckRequest:
    """What is to be judged: an overlay on the base, the pieces that survive in it, the renames it
    carries."""

    overlay: Overlay
    spans: Mapping[str, Pieces] = field(default_factory=dict)
    renames: Sequence[tuple[str, str, str]] = ()
    """(pkg, sym, new last element)."""
    moves: Sequence[tuple[str, str, str]] = ()
    """(pkg, sym, package it goes to)."""
    moved: Sequence[tuple[str, str, Pieces]] = ()
    """(file, file that has text of it, pieces)."""
    proofs: bool = True


class Checker(Protocol):
    """Judges an overlay against the base."""

    @property
    def name(self) -> Literal["resident", "toolchain"]:
        """Which of the two it is."""

    def check(self, request: CheckRequest) -> CheckResult:
        """Judge base + overlay; the base does not change. Raises CheckerUnavailable."""


class TypeOracle(Protocol):
    """What only the resident checker can answer."""

    def ask(self, overlay: Overlay, questions: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
        """Answer typed questions over base + overlay."""

    def format(self, items: Sequence[FormatItem]) -> list[Formatted]:
        """Format files by the rules of the wire contract."""

    def syntax(self, kind: str, text: str) -> str | None:
        """The Go parser's complaint on a fragment, None when it is Go."""
