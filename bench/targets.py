"""Find in a repository what to measure on: symbols to ask of, a body to edit, a name to change."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NamedTuple

from bench.subject import Subject

RENAME_REFS = range(20, 120)
"""References that make a rename neither trivial nor extreme."""


class Place(NamedTuple):
    """A declaration: its address and 1-based place."""

    pkg: str
    sym: str
    path: str
    line: int
    col: int
    references: int
    packages: int


def find_places(subject: Subject, count: int, seed: int = 1) -> list[Place]:
    """Up to `count` functions and types of the repository, chosen by the seed."""
    rng = random.Random(seed)
    found: dict[tuple[str, str], Place] = {}
    for fragment in ("new", "get", "set", "er", "re", "on", "is", "to"):
        _, answer = subject.call("search", q=fragment)
        for row in answer["symbols"]:
            place = _place(subject, row)
            if place:
                found[place.pkg, place.sym] = place
    places = sorted(found.values())
    rng.shuffle(places)
    return places[:count]


def find_rename(subject: Subject, wanted: str = "") -> Place:
    """The exported function in the most packages, with references within RENAME_REFS if any."""
    if wanted:
        pkg, _, sym = wanted.rpartition(".")
        _, answer = subject.call("inspect", pkg=pkg, sym=sym)
        found = _place(subject, {**answer, "sym": sym})
        assert found is not None, answer
        return found
    exported = [p for p in find_places(subject, 10_000) if "." not in p.sym and p.sym[0].isupper()]
    fitting = [p for p in exported if p.references in RENAME_REFS]
    return max(fitting or exported, key=lambda p: (p.packages, p.references))


def find_bodies(subject: Subject, count: int) -> list[tuple[Place, str]]:
    """Up to `count` functions of different packages, and the text of each body; those come first
    that are of middling size in a package that others import."""
    found: dict[str, tuple[bool, Place, str]] = {}
    for place in find_places(subject, 400):
        _, view = subject.call("view", pkg=place.pkg, sym=place.sym)
        text = re.sub(r"(?m)^(?:n\d+(?:,n\d+)*: )", "", view.get("text", ""))
        match = re.match(r"func [^\n]*\{\n(.*)\n\}\n?$", text, re.DOTALL)
        if match:
            fits = 4 <= view.get("nodes", 0) <= 30 and place.packages > 1
            if place.pkg not in found or fits > found[place.pkg][0]:
                found[place.pkg] = fits, place, match.group(1)
        if sum(fits for fits, _, _ in found.values()) == count:
            break
    if not found:
        raise LookupError("no function with a body to edit")
    chosen = sorted(found.values(), key=lambda row: not row[0])[:count]
    return [(place, body) for _, place, body in chosen]


def append_comment(root: Path, path: str, text: str) -> None:
    """An outside edit: a comment at the end of a file."""
    with (root / path).open("a") as out:
        out.write(f"\n// {text}\n")


def _place(subject: Subject, row: dict[str, str]) -> Place | None:
    _, refs = subject.call("refs", pkg=row["pkg"], sym=row["sym"])
    if refs["status"] != "ok" or row["kind"] not in ("func", "method", "type"):
        return None
    path, line, col = row["pos"].rsplit(":", 2)
    packages = {r["pos"].rsplit("/", 1)[0] for r in refs["refs"]}
    return Place(
        row["pkg"], row["sym"], path, int(line), int(col), refs["count"], len(packages)
    )  # fmt: skip
