"""The stages of an edit, each a type: Draft, Candidate, Verdict, Approved, Receipt.

Invariant: only gate/gate.py constructs Approved; commit takes nothing else, so an edit that was not
judged cannot reach the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ago.checker.checker import Change, Diagnostic, Pieces
from grammar_ops.reject import Finding

Confirmation = Literal["confirmed", "pending", "unconfirmed", "contradicted", "off"]


@dataclass(frozen=True)
class DraftFile:
    """One file of a draft: base and current bytes (None = absent) and the pieces of the base that
    survive."""

    path: str
    base: bytes | None
    text: bytes | None
    pieces: Pieces
    overlaid: bool = False
    """The base is an unsaved buffer of the request, so the disk stays as it is."""


class MovedText(NamedTuple):
    """Text of the base of one file that stands in another: pieces from base to current text."""

    source: str
    path: str
    pieces: Pieces


def find_origin(moved: Iterable[MovedText], path: str, is_gone: Callable[[str], bool]) -> str:
    """The file that became a new one: of those that are gone, what most of its text comes from;
    "" for none."""
    sizes = {
        text.source: sum(length for _, _, length in text.pieces)
        for text in moved
        if text.path == path and is_gone(text.source)
    }
    return max(sizes, key=sizes.__getitem__, default="")


@dataclass(frozen=True)
class Draft:
    """All ops planned and applied in memory."""

    files: Mapping[str, DraftFile]
    touches: tuple[tuple[str, str], ...]
    gone: tuple[tuple[str, str], ...]
    renames: tuple[tuple[str, str, str], ...]
    keeps_meaning: bool
    """Every op of the patch promises unchanged meaning."""
    spans: Mapping[str, tuple[tuple[int, int], ...]]
    """Per file the ranges of `text` that the ops wrote or touched (declarations to format)."""
    op_of: Mapping[str, tuple[tuple[int, int, int], ...]]
    """Per file (start, end, op number): which op wrote which range of `text`."""
    notes: Mapping[str, int | str | list[str]] = field(default_factory=dict)
    unproven: tuple[str, ...] = ()
    """What planning had to take on trust, a sentence each (files that no build context covers)."""
    warnings: tuple[Finding, ...] = ()
    """What planning warns of."""
    retypes: bool = False
    """An op changes by request the types of parameters or results that stay."""
    moves: tuple[tuple[str, str, str], ...] = ()
    """(pkg, name in the base, package it goes to)."""
    moved: tuple[MovedText, ...] = ()
    seen: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Per file the ranges of `text` that the caller wrote out, lines that it keeps included."""
    given: tuple[str, ...] = ()
    """Files whose very bytes the caller gave."""


@dataclass(frozen=True)
class Candidate:
    """The draft with its files formatted: exactly the bytes that would be written."""

    draft: Draft
    files: Mapping[str, DraftFile]
    imports_added: tuple[str, ...] = ()
    imports_removed: tuple[str, ...] = ()
    buffers: Mapping[str, DraftFile] = field(default_factory=dict)
    """The unsaved text that the request came with, as files over the disk."""
    moves: Mapping[str, Pieces] = field(default_factory=dict)
    """Per file the pieces of the draft text that survive formatting."""
    moved: tuple[MovedText, ...] = ()

    def warned(self, of: tuple[Finding, ...]) -> Candidate:
        """The same with more to warn of."""
        draft = replace(self.draft, warnings=(*self.draft.warnings, *of))
        return replace(self, draft=draft) if of else self

    @property
    def carried(self) -> Mapping[tuple[str, str], Pieces]:
        """The pieces that moved, by the file they stood in and the file they stand in."""
        return {(text.source, text.path): text.pieces for text in self.moved}


@dataclass(frozen=True)
class Proof:
    """What was proved of an edit."""

    checker: Literal["resident", "toolchain"]
    contexts: tuple[str, ...]
    packages: int
    references: int
    unproven: tuple[str, ...] = ()
    confirmation: Confirmation = "pending"


@dataclass(frozen=True)
class Verdict:
    """The checkers' and the proofs' word on a candidate."""

    candidate: Candidate
    token: str
    """The resident checker's candidate token, "" without one."""
    new: tuple[Diagnostic, ...]
    revealed: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    pre_existing: int
    """How many diagnostics of the base are still there."""
    refused: tuple[Change, ...]
    rebinds: tuple[Change, ...]
    proof: Proof
    contexts: tuple[str, ...] = ()
    """The further contexts that the candidate concerns."""
    stood: int = 0
    """How many diagnostics there were before the edit."""

    @property
    def accepted(self) -> bool:
        """Whether the gate would approve."""
        return not self.new and not self.refused


@dataclass(frozen=True)
class Approved:
    """A candidate that passed the gate; the only thing commit takes."""

    verdict: Verdict


@dataclass(frozen=True)
class Receipt:
    """An edit that is on the disk."""

    edit: int
    files: tuple[str, ...]
    created: tuple[str, ...]
    deleted: tuple[str, ...]
    token: str
    renames: tuple[tuple[str, str, str], ...] = ()
    moves: tuple[tuple[str, str, str], ...] = ()


def name_after(renames: Iterable[Sequence[str]], pkg: str, sym: str) -> str:
    """What `sym` is called after simultaneous renames (pkg, sym, to), its owner's too."""
    owner, _, last = sym.rpartition(".")
    renames = tuple(renames)
    last = next((to for of, old, to in renames if (of, old) == (pkg, sym)), last)
    return f"{name_after(renames, pkg, owner)}.{last}" if owner else last


def symbol_after(
    renames: Iterable[Sequence[str]], moves: Iterable[Sequence[str]], symbol: str
) -> str:
    """What `symbol` (pkg.sym) is called after simultaneous renames and moves (pkg, sym, to_pkg)."""
    renames, homes = tuple(renames), {(pkg, sym): to for pkg, sym, to in moves}
    for pkg in {row[0] for row in renames} | {pkg for pkg, _ in homes}:
        if symbol.startswith(f"{pkg}."):
            sym = symbol.removeprefix(f"{pkg}.")
            home = homes.get((pkg, sym.partition(".")[0]), pkg)
            now = f"{home}.{name_after(renames, pkg, sym)}"
            if now != symbol:
                return now
    return symbol
