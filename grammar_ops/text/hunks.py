"""Edits as texts say them: files, and in each the lines that go and the lines that come.

Invariant: nothing here knows the files; places are lines of the text that was given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grammar_ops.reject import Finding, Reject, register

register(
    "grammar",
    {
        "edit_text_malformed": "the text breaks off, or has a line that its format does not know",
        "edit_names_no_file": "the text says what to change and not in which file",
    },
)

KEPT, GONE, NEW = " ", "-", "+"
TEXT = "text"
"""What positions in the given text are called."""

_PATH = re.compile(r"[^\s\"'`<>|*?:]+")


class Row(NamedTuple):
    """One line of a hunk: kept, gone or new, and the line of the given text that says so."""

    tag: str
    line: bytes
    at: int
    twin: int = -1
    """The line of the given text that repeats a kept line among the new ones, -1 for none."""


class Hunk(NamedTuple):
    """Neighbouring lines of a file, and what becomes of them."""

    name: str
    """What a refusal calls it: `block 2`, `hunk 1`."""
    at: int
    """Line of the given text that begins it."""
    rows: tuple[Row, ...]
    line: int = 0
    """The line of the file that it says it begins at, 0 for none."""
    heads: tuple[bytes, ...] = ()
    """Lines of the file that stand before it, outermost first."""
    to_end: bool = False
    """It says that it ends where the file does."""
    bare: bool | None = None
    """Whether its last new line has no line break; None: as it was."""
    loose: bool = False
    """It stands wherever its lines do, in any order, and may be part of a line."""

    @property
    def old(self) -> tuple[bytes, ...]:
        """The lines that it looks for."""
        return tuple(row.line for row in self.rows if row.tag != NEW)

    @property
    def new(self) -> tuple[bytes, ...]:
        """The lines that stand there afterwards."""
        return tuple(row.line for row in self.rows if row.tag != GONE)


@dataclass(frozen=True)
class FileEdit:
    """What a text wants of one file."""

    path: str
    at: int
    """Line of the given text that names the file."""
    hunks: tuple[Hunk, ...] = ()
    text: bytes | None = None
    """The whole file."""
    to: str = ""
    """Its new path, where it is to be moved."""
    deletes: bool = False
    creates: bool = False
    """The file is said to be new."""
    blob: str = ""
    """First digits of git's name for the contents that the edit was made from."""
    other: str = ""
    """Another name that the text gives for the file."""
    mode: bool = False
    """The text asks for other permissions, too."""


def list_lines(text: bytes) -> list[bytes]:
    """The lines of a text without their line breaks; none for what follows the last one."""
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def pair_rows(old: Sequence[tuple[int, bytes]], new: Sequence[tuple[int, bytes]]) -> list[Row]:
    """Old lines and the new ones in their place, (line of the text, line) each, as rows: what both
    begin or end with is kept."""
    start = 0
    while start < min(len(old), len(new)) and old[start][1] == new[start][1]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end][1] == new[-1 - end][1]:
        end += 1
    stop, new_stop = len(old) - end, len(new) - end
    rows = [Row(KEPT, line, at, new[i][0]) for i, (at, line) in enumerate(old[:start])]
    rows += [Row(GONE, line, at) for at, line in old[start:stop]]
    rows += [Row(NEW, line, at) for at, line in new[start:new_stop]]
    tail = zip(old[stop:], new[new_stop:], strict=True)
    return [*rows, *(Row(KEPT, line, at, twin) for (at, line), (twin, _) in tail)]


def looks_like_path(word: str) -> bool:
    """Whether a word may be the path of a file."""
    named = "/" in word or "." in word.strip(".")
    return named and _PATH.fullmatch(word) is not None and not word.endswith("/")


def malformed(at: int, msg: str) -> Reject:
    """The refusal of a text for its line `at`, counted from 0."""
    finding = Finding(TEXT, at + 1, 1, msg, "edit_text_malformed")
    return Reject("edit_text_malformed", f"line {at + 1} of the text: {msg}", (finding,))
