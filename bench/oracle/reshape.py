"""Renames, moves and changed signatures of a commit, found by trial.

A candidate is kept when the dry run takes it and leaves less to change than before: what these ops
do to callers and to other files is then theirs, and only the rest is expressed by other ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from bench.oracle.items import GoFile, read_file
from bench.oracle.recognise import Candidate, Tree, find_candidates
from bench.oracle.step import Op

Texts = Mapping[str, bytes | None]
Try = Callable[[list[Op]], dict[str, Any]]
MOST_TRIES = 24


class Shaper:
    """The reshaping ops of one commit and the texts that they lead to."""

    def __init__(self, attempt: Try, before: Texts, after: Texts) -> None:
        """`attempt` is a dry run of ops on the parent."""
        self.attempt, self.after = attempt, after
        self.ops: list[Op] = []
        self.texts: dict[str, bytes | None] = dict(before)
        self.given_up: list[tuple[str, str]] = []
        self._tried: set[str] = set()
        self._distance = distance(self.texts, after)

    def shape(self, pkg_of: Callable[[str], str]) -> None:
        """Take candidates as long as one brings the parent nearer to the commit."""
        while len(self._tried) < MOST_TRIES and self._distance:
            found = next(self._fitting(pkg_of), None)
            if found is None:
                return
            ops, self.texts, self._distance = found
            self.ops += ops

    def _fitting(
        self, pkg_of: Callable[[str], str]
    ) -> Iterator[tuple[list[Op], dict[str, bytes | None], int]]:
        for candidate in find_candidates(parse_all(self.texts), parse_all(self.after), pkg_of):
            if candidate.key in self._tried or len(self._tried) >= MOST_TRIES:
                continue
            self._tried.add(candidate.key)
            why = self._rate(candidate)
            if isinstance(why, str):
                self.given_up.append((str(candidate.ways[0][0]["op"]), why))
            else:
                yield why

    def _rate(self, candidate: Candidate) -> tuple[list[Op], dict[str, bytes | None], int] | str:
        """What a candidate leads to, or why it is not taken."""
        why = "no way"
        for ops in candidate.ways:
            answer = self.attempt([*self.ops, *ops])
            if answer["status"] != "ok":
                why = str(answer.get("reason"))
                continue
            texts = self._texts_of(answer)
            left = distance(texts, self.after)
            if left < self._distance:
                return ops, texts, left
            why = "brings the commit no nearer"
        return why

    def _texts_of(self, answer: dict[str, Any]) -> dict[str, bytes | None]:
        texts: dict[str, bytes | None] = dict(self.texts)
        shown = answer.get("texts", {})
        for path in answer.get("files", []):
            texts[path] = shown[path].encode() if path in shown else None
        return texts


def distance(texts: Texts, after: Texts) -> int:
    """How many lines differ in all files; a file that the commit does not touch counts double."""
    total = 0
    for path in {*texts, *after}:
        have, want = texts.get(path), after.get(path)
        if have == want:
            continue
        if path not in after:
            total += 2
            continue
        old, new = (have or b"").splitlines(), (want or b"").splitlines()
        same = sum(
            block.size
            for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        )
        total += len(old) + len(new) - 2 * same + ((have is None) != (want is None))
    return total


def parse_all(texts: Texts) -> Tree:
    """The files that there are and that can be read."""
    parsed: dict[str, GoFile | None] = {
        path: read_file(text) for path, text in texts.items() if text is not None
    }
    return {path: file for path, file in parsed.items() if file is not None}
