"""Trips one after another on a scratch clone, each from the same tree."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ago.config import Config
from ago.main import open_session
from bench.oracle.history import Checkout
from bench.oracle.items import read_file
from bench.roundtrip.trips import Forest, find_trip
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.imports import list_imports, parse_head

VET_EVERY = 10


@dataclass
class Tally:
    """What became of the trips of one kind."""

    back_again: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    rejected_back: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, str]] = field(default_factory=list)


class Rounds:
    """One session on a clone at the head of a repository."""

    def __init__(self, checkout: Checkout, cache: Path, state: Path) -> None:
        self.checkout = checkout
        checkout.show_head()
        self.forest = Forest(checkout.root)
        config = Config(budget_tokens=1_000_000, confirm="off")
        self.session = open_session(checkout.root, cache_dir=cache, state_dir=state, config=config)
        self._accepted = 0

    def close(self) -> None:
        """End the session."""
        self.session.close()

    def go(self, kind: str, seed: str, tally: Tally) -> str:
        """One trip; a word on what became of it."""
        trip = find_trip(kind, self.forest, random.Random(seed))
        there = self._patch(trip.there)
        if there["status"] != "accepted":
            tally.rejected[str(there.get("reason"))] += 1
            return f"{trip.target}: {there.get('reason')}"
        problem = self._vet(there)
        back = self._patch(trip.back)
        if problem is None and back["status"] != "accepted":
            tally.rejected_back[str(back.get("reason"))] += 1
            word = f"{trip.target}: back: {back.get('reason')} {back.get('detail', '')}"
        else:
            problem = problem or self._compare(kind, {*there["files"], *back["files"]})
            word = f"{trip.target}: {problem or 'same'}"
            if problem:
                tally.failures.append({"seed": seed, "target": trip.target, "problem": problem})
            else:
                tally.back_again += 1
        self.checkout.show_head()
        return word

    def _patch(self, op: dict[str, Any]) -> dict[str, Any]:
        return self.session.call("patch", {"ops": [op]})

    def _vet(self, answer: dict[str, Any]) -> str | None:
        """Every tenth accepted edit is compiled by the go command, tests included."""
        self._accepted += 1
        if self._accepted % VET_EVERY:
            return None
        folders = {(self.checkout.root / file).parent for file in answer["files"]}
        for folder in sorted(folder for folder in folders if any(folder.glob("*.go"))):
            done = subprocess.run(
                ["go", "vet", "-assign=true", "."],
                cwd=folder, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                return f"go vet: {done.stderr[:500]}"
        return None

    def _compare(self, kind: str, files: set[str]) -> str | None:
        """How the files differ from what they were; a moved declaration may stand elsewhere."""
        before = {file: self.checkout.read_head(file) for file in sorted(files)}
        after = {file: self.checkout.read(file) for file in sorted(files)}
        if before == after:
            return None
        if kind == "move" and _contents(before) == _contents(after):
            return None
        return ", ".join(file for file in before if before[file] != after[file])


def _contents(files: dict[str, bytes | None]) -> object:
    """Each file's imports, and its declarations with their comments: the members of a group one by
    one, as a move takes them, and the docs of groups."""
    imports: dict[str, list[tuple[str, str]]] = {}
    decls: Counter[tuple[str, str]] = Counter()
    for file, text in files.items():
        parsed = read_file(text) if text is not None else None
        if text is None or parsed is None:
            continue
        imports[file] = sorted((i.path, i.name) for i in list_imports(parse_head(text), text))
        for item in parsed.items:
            if item.kind == "func":
                decls.update([(file, item.text)])
                continue
            decls.update((file, _member(text, item.kind, decl)) for decl in item.decls)
            if item.decls[0].group and item.doc:
                decls.update([(file, item.doc)])
    return imports, decls


def _member(text: bytes, keyword: str, decl: Decl) -> str:
    """A member of a group, or a declaration as if it were one; alignment is its neighbours'."""
    doc = text[decl.full_span.start : decl.span.start].decode()
    code = text[decl.span.start : decl.full_span.end].decode()
    lines = (doc + code.removeprefix(f"{keyword} ")).splitlines()
    return "\n".join(" ".join(line.split()) for line in lines)
