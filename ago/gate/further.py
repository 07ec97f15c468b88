"""Further contexts: the same candidate where other files are compiled.

Invariant: each context has its own base; what two contexts find alike is told once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Protocol

from ago.checker.checker import Change, Checker, CheckResult, Diagnostic, Pieces
from ago.checker.process import CheckerCrashed
from ago.gate.asking import ask, name_change
from ago.gate.baseline import Sorted, Spans, subtract
from ago.protocol.errors import AgoError, Bug
from ago.stages import Candidate


class Build(Protocol):
    """A checker of one further context."""

    @property
    def context(self) -> str:
        """Its name, as `goos/goarch[,tag...]`."""

    @property
    def toolchain(self) -> Checker:
        """The go command in that context, for the touched packages."""

    def beside(self, apis: Mapping[str, str]) -> Checker:
        """It as a checker; `apis` are the API hashes that the edit gives to packages of the own
        build."""


@dataclass
class Word:
    """What the contexts say, the own one first."""

    own: Sorted
    changes: list[Change]
    packages: set[str]
    left: set[str]
    """Edited files that no context so far compiles."""
    contexts: list[str] = field(default_factory=list)
    unproven: list[str] = field(default_factory=list)
    _new: dict[object, Diagnostic] = field(default_factory=dict)
    _revealed: dict[object, Diagnostic] = field(default_factory=dict)
    _standing: int = 0
    _base: int = 0

    @classmethod
    def of(cls, result: CheckResult, own: Sorted) -> Word:
        """The own build's word."""
        packages = {unit.key.pkg for unit in result.units}
        return cls(own, list(result.changes), packages, set(result.left))

    @property
    def new(self) -> tuple[Diagnostic, ...]:
        """New diagnostics of all contexts."""
        return (*self.own.new, *self._new.values())

    @property
    def revealed(self) -> tuple[Diagnostic, ...]:
        """Revealed diagnostics of all contexts."""
        return (*self.own.revealed, *self._revealed.values())

    @property
    def pre_existing(self) -> int:
        """How many diagnostics stood before."""
        return self.own.pre_existing + self._standing

    @property
    def stood(self) -> int:
        """How many diagnostics there were before, those that the edit mends included."""
        return self.own.base + self._base

    def add(self, context: str, result: CheckResult, found: Sorted) -> None:
        """Take in one further context."""
        self.contexts.append(context)
        self.left &= set(result.left)
        self.packages |= {unit.key.pkg for unit in result.units}
        self._standing += found.pre_existing
        self._base += found.base
        known: set[object] = {_place(d) for d in (*self.own.new, *self.own.revealed)}
        _take_in(self._new, found.new, context, known)
        _take_in(self._revealed, found.revealed, context, known)
        told = {name_change(change) for change in self.changes}
        self.changes += [
            change._replace(context=context)
            for change in result.changes
            if name_change(change) not in told
        ]
        self.unproven += [f"{context}: {what}" for what in result.unproven]
        self.unproven += [f"{context}: meaning in {what}" for what in result.tainted]


def judge_beside(
    word: Word, candidate: Candidate, own: CheckResult, builds: Sequence[Build],
    edited: Mapping[str, Pieces], written: Spans, *, reference: bool,
) -> None:  # fmt: skip
    """Have the builds judge the candidate too, side by side; what can't be judged is unproven.
    `reference`: units are judged by the go command."""

    def judge_in(build: Build) -> CheckResult | AgoError | Bug:
        try:
            result = ask(build.beside(own.apis), candidate)
            if reference or not result.judged:
                result = replace(result, units=ask(build.toolchain, candidate).units)
        except CheckerCrashed:
            raise
        except (AgoError, Bug) as error:
            return error
        return result

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(judge_in, builds))
    for build, result in zip(builds, results, strict=True):
        if isinstance(result, CheckResult):
            found = subtract(result.units, edited, written, candidate.carried)
            word.add(build.context, result, found)
        else:
            word.unproven.append(f"{build.context}: not checked: {result}")
    # Of a file whose references were followed by name that is said already.
    said = {what.partition(": ")[0] for what in candidate.draft.unproven}
    left = sorted(word.left - said)
    word.unproven += [f"{path}: no checked build context compiles it" for path in left]


def _take_in(
    into: dict[object, Diagnostic], found: Iterable[Diagnostic], context: str, known: set[object]
) -> None:
    for diagnostic in found:
        place = _place(diagnostic)
        if place in known:
            continue
        before = into.get(place)
        names = f"{before.context}, {context}" if before else context
        into[place] = diagnostic._replace(context=names)


def _place(diagnostic: Diagnostic) -> tuple[str, int, str]:
    return diagnostic.file, diagnostic.offset, diagnostic.code
