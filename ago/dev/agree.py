"""Agreement: random mutations judged by both checkers, which must give the same verdict.

A mutation is judged in its package, its tests and its importers. Sequences of accepted edits are
walked by one resident checker, whose verdicts must then equal a freshly loaded one's.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ago.checker.build import find_agocheck
from ago.checker.checker import Checker, CheckRequest, Pieces
from ago.checker.client import Launch, ResidentChecker
from ago.checker.gocmd import find_go
from ago.checker.toolchain import Toolchain
from ago.dev.mutations import KINDS, mutate, read_source
from ago.gate.baseline import subtract

PROGRESS = 50
"""Mutations between two lines of progress."""

SEQUENCE = 20
"""Edits of one sequence, as many as an hour of work brings between two restarts."""


Finding = tuple[str, int, str]
"""File, line, message."""


@dataclass(frozen=True)
class Word:
    """One checker's word on a mutation: its new diagnostics, in order."""

    found: tuple[Finding, ...]
    judged: bool = True

    @property
    def accepted(self) -> bool:
        """Whether nothing is new."""
        return self.judged and not self.found


UNJUDGED = Word((), judged=False)


@dataclass(frozen=True)
class Disagreement:
    """A mutation on which two checkers differ."""

    repo: str
    kind: str
    path: str
    text: str
    words: dict[str, Word]


@dataclass
class Report:
    """What a run found."""

    judged: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    disagreements: list[Disagreement] = field(default_factory=list)
    seconds: float = 0.0

    def record(self) -> dict[str, object]:
        """Everything as plain data."""
        return {
            "judged": dict(self.judged),
            "accepted": dict(self.accepted),
            "disagreements": [asdict(d) for d in self.disagreements],
            "seconds": round(self.seconds),
        }

    def summary(self) -> str:
        """One line for a person."""
        total, good = sum(self.judged.values()), sum(self.accepted.values())
        share = 100 * good // max(total, 1)
        return (
            f"{total} mutations, {good} accepted by both ({share} %), "
            f"{len(self.disagreements)} disagreements, {self.seconds:.0f} s"
        )


@dataclass(frozen=True)
class Mutation:
    """One file's new text."""

    kind: str
    path: str
    before: bytes
    after: bytes

    def request(self) -> CheckRequest:
        """As the gate would ask."""
        return CheckRequest({self.path: self.after}, {self.path: _pieces(self.before, self.after)})


class Bench:
    """A scratch copy of one module (or workspace) with its checkers."""

    def __init__(self, repo: Path, scratch: Path, cache: Path) -> None:
        self.repo, self.cache = repo.name, cache
        self.root = (scratch / repo.name).resolve()
        shutil.copytree(repo, self.root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        self.go = find_go()
        self.toolchain = Toolchain(self.root, self.go, verdict_only=True)
        self.resident = self.fresh()

    def fresh(self) -> ResidentChecker:
        """A resident checker that has seen no edit."""

        def launch() -> Launch:
            return Launch(find_agocheck(self.go, self.cache), self.go.env)

        return ResidentChecker(self.root, self.cache, launch)

    def mutations(self, rng: random.Random) -> Iterator[Mutation]:
        """Endless mutations, the kinds in turn."""
        files = [
            p
            for p in sorted(self.root.rglob("*.go"))
            if not any(
                part in ("vendor", "testdata") or part[0] in "._" for part in _parts(p, self)
            )
        ]
        tests = _by_folder(p for p in files if p.name.endswith("_test.go"))
        every = _by_folder(files)
        while True:
            for kind in KINDS:
                yield from self._one(kind, rng, tests if kind == "test_only" and tests else every)

    def _one(self, kind: str, rng: random.Random, folders: list[list[Path]]) -> Iterator[Mutation]:
        """A mutation of a file of a random package: each package has the same chance, so that the
        few that everything imports don't take up the run."""
        for _ in range(50):
            path = rng.choice(rng.choice(folders))
            before = path.read_bytes()
            rel = path.relative_to(self.root).as_posix()
            after = mutate(read_source(rel, before), kind, rng)
            if after is not None:
                yield Mutation(kind, rel, before, after)
                return


def run(repo: Path, count: int, seed: int, cache: Path, limit_s: float = float("inf")) -> Report:
    """Judge `count` mutations of one repository, a quarter of them in sequences of edits.

    `limit_s` ends the run early: it then reports what was judged.
    """
    report, started = Report(), time.monotonic()
    with _scratch(cache / "agree" / repo.name) as scratch:
        bench = Bench(repo, scratch, cache)
        try:
            rng = random.Random(seed)
            source = bench.mutations(rng)
            for _ in range(count - count // 4):
                if time.monotonic() > started + 0.75 * limit_s:
                    break
                mutation = next(source)
                _note(report, bench, mutation, _judge(bench, bench.resident, mutation))
            _walk(bench, source, count // 4, report, started + limit_s)
        finally:
            bench.resident.close()
    report.seconds = time.monotonic() - started
    return report


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """An empty folder at a place that stays: the go command's cache knows compilations by it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _judge(bench: Bench, resident: ResidentChecker, mutation: Mutation) -> dict[str, Word]:
    return {
        "resident": _word(resident, mutation),
        "toolchain": _word(bench.toolchain, mutation),
    }


def _walk(
    bench: Bench, source: Iterator[Mutation], count: int, report: Report, ends: float
) -> None:
    """Mutations that both accept stay; after each sequence the walked checker meets a fresh one."""
    resident, left = bench.resident, count
    while left > 0:
        for _ in range(min(SEQUENCE, left)):
            if time.monotonic() > ends:
                left = 0
                break
            mutation = next(source)
            words = _judge(bench, resident, mutation)
            _note(report, bench, mutation, words)
            if all(word.accepted for word in words.values()):
                _keep(bench, resident, mutation)
        left -= SEQUENCE
        fresh = bench.fresh()
        try:
            for _ in KINDS:
                mutation = next(source)
                walked, new = _word(resident, mutation), _word(fresh, mutation)
                _note(report, bench, mutation, {"walked": walked, "fresh": new})
        finally:
            fresh.close()


def _keep(bench: Bench, resident: ResidentChecker, mutation: Mutation) -> None:
    """Write an accepted mutation and make it the base."""
    candidate = resident.check(mutation.request()).candidate
    (bench.root / mutation.path).write_bytes(mutation.after)
    resident.advance(candidate, lambda _event: None)


def _word(checker: Checker, mutation: Mutation) -> Word:
    result = checker.check(mutation.request())
    if not result.judged:
        return UNJUDGED
    pieces = {mutation.path: _pieces(mutation.before, mutation.after)}
    head, tail = pieces[mutation.path]
    written = {mutation.path: ((head[2], len(mutation.after) - tail[2]),)}
    found = subtract(result.units, pieces, written).new
    return Word(place_alike([(d.file, d.line, d.msg) for d in found], mutation.path))


_SEVERAL_PACKAGES = re.compile(r"found packages \w+ \(|package \w+; expected package \w+$")
_NO_MAIN = "function main is undeclared in the main package"


def place_alike(found: Iterable[Finding], edited: str) -> tuple[Finding, ...]:
    """Findings, ascending, placed as the go command's stages have them.

    A folder with two package names is not loaded, and each importer says so of it: it is a finding
    of the edited folder. A missing main is the linker's word, which comes after all others.
    """
    folder = _folder(edited)
    alike = {
        (f"{folder}/", 0, msg) if _SEVERAL_PACKAGES.match(msg) else (file, line, msg)
        for file, line, msg in found
    }
    compiled = {_folder(file) for file, _, msg in alike if msg != _NO_MAIN}
    return tuple(sorted(f for f in alike if f[2] != _NO_MAIN or _folder(f[0]) not in compiled))


def agree(words: Collection[Word]) -> bool:
    """Whether checkers say the same: all accept, or the first finding is at the same place.

    What is below a broken package (its importers, its own tests) is not compiled by the go
    command, so of a rejection only the folders count that every checker speaks of, and there the
    tests only where nothing else is broken.
    """
    if not all(word.found for word in words):
        return not any(word.found for word in words)
    common = set.intersection(*({_folder(f) for f, _, _ in word.found} for word in words))
    firsts = {_first(word, common) for word in words}
    # The linker reports a missing main without a place.
    unplaced = any(not file for word in words for file, _, _ in word.found)
    return unplaced or (len(firsts) == 1 and None not in firsts)


def _first(word: Word, folders: Collection[str]) -> tuple[str, int] | None:
    """Place of the first finding in some folders that is below no other of them."""
    found = [(f, n) for f, n, _ in word.found if _folder(f) in folders]
    broken = {_folder(f) for f, _ in found if not f.endswith("_test.go")}
    above = [(f, n) for f, n in found if not (f.endswith("_test.go") and _folder(f) in broken)]
    return min(above, default=None)


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _note(report: Report, bench: Bench, mutation: Mutation, words: dict[str, Word]) -> None:
    if not all(word.judged for word in words.values()):
        return
    report.judged[mutation.kind] += 1
    if (done := sum(report.judged.values())) % PROGRESS == 0:
        print(f"{bench.repo}: {done} judged", file=sys.stderr, flush=True)
    if agree(words.values()):
        report.accepted[mutation.kind] += all(word.accepted for word in words.values())
        return
    text = mutation.after.decode("utf-8", "replace")
    report.disagreements.append(Disagreement(bench.repo, mutation.kind, mutation.path, text, words))


def _pieces(before: bytes, after: bytes) -> Pieces:
    """What a change of one range leaves: the common start and the common end."""
    start = _common(before, after)
    end = min(_common(before[::-1], after[::-1]), min(len(before), len(after)) - start)
    return ((0, 0, start), (len(before) - end, len(after) - end, end))


def _common(a: bytes, b: bytes) -> int:
    """Length of the common start."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


def _by_folder(files: Iterable[Path]) -> list[list[Path]]:
    folders: dict[Path, list[Path]] = {}
    for path in files:
        folders.setdefault(path.parent, []).append(path)
    return list(folders.values())


def _parts(path: Path, bench: Bench) -> tuple[str, ...]:
    return path.relative_to(bench.root).parts


def main(
    repos: list[Path],
    count: int,
    seed: int,
    cache: Path,
    out: Path | None,
    limit_s: float = float("inf"),
) -> int:
    """Run over repositories; print what was found; 1 when any disagreement was, else 0."""
    reports = {}
    for repo in repos:
        report = reports[repo.name] = run(repo, count, seed, cache, limit_s)
        print(f"{repo.name}: {report.summary()}")
        for bad in report.disagreements:
            print(f"  {bad.kind} {bad.path}", file=sys.stderr)
            for name, word in bad.words.items():
                said = "; ".join(f"{f}:{n} {m}" for f, n, m in word.found[:3])
                print(f"    {name}: {said or 'accepted'}", file=sys.stderr)
    if out is not None:
        out.write_text(json.dumps({name: r.record() for name, r in reports.items()}, indent=1))
    return 1 if any(r.disagreements for r in reports.values()) else 0
