"""Diagnostics of the go command: parsed from its text and mapped back from the shadow tree.

Invariant: a line that is not understood is handed on as unknown, never dropped: silence would
read as acceptance.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ago.checker.checker import Diagnostic, Pieces

Locate = Callable[[str], str]
Source = Callable[[str], bytes | None]

_HEADER = re.compile(r"^# (\S+)(?: \[(\S+)\])?$")
_FINDING = re.compile(
    r"^(?:vet: )?(?P<path>[^\s:][^:]*?):(?P<line>\d+)(?::(?P<col>\d+))?: (?P<msg>.*)$"
)
_NOISE = re.compile(r"^(?:note: module requires|\S*too many errors|# ?\(|exit status \d+|FAIL\b)")
_POSITION = re.compile(r"\S+?\.go:\d+(?::\d+)?")


class Parsed(NamedTuple):
    """What a text of the go command says: findings in order, and lines that mean nothing to us."""

    found: list[Diagnostic]
    unknown: list[str]


def parse_output(text: str, locate: Locate, source: Source, kind: str) -> Parsed:
    """Diagnostics of a go command's text; `locate` maps paths, `source` gives candidate bytes."""
    parsed = Parsed([], [])
    for line in text.splitlines():
        if not line.strip() or _HEADER.match(line) or _NOISE.match(line):
            continue
        if line.startswith(("\t", "    ")) and parsed.found:
            last = parsed.found[-1]
            parsed.found[-1] = last._replace(msg=f"{last.msg} {line.strip()}")
            continue
        match = _FINDING.match(line)
        if match is None:
            parsed.unknown.append(line)
            continue
        path = locate(match["path"])
        row, col = int(match["line"]), int(match["col"] or 1)
        parsed.found.append(finding(path, row, col, match["msg"], kind, source(path)))
    return parsed


def finding(
    path: str, line: int, col: int, msg: str, kind: str, text: bytes | None, code: str = ""
) -> Diagnostic:
    """One diagnostic of the go command; its code is the message without positions unless given."""
    offset = -1 if text is None else offset_at(text, line, col)
    return Diagnostic(path, line, col, offset, -1, code or _POSITION.sub("…", msg), msg, kind)


def offset_at(text: bytes, line: int, col: int) -> int:
    """Byte offset of a 1-based line and byte column, -1 when the text has no such line."""
    start = 0
    for _ in range(line - 1):
        end = text.find(b"\n", start)
        if end < 0:
            return -1
        start = end + 1
    return min(start + max(col, 1) - 1, len(text))


def line_col(text: bytes, offset: int) -> tuple[int, int]:
    """1-based line and byte column of an offset."""
    before = text[:offset]
    return before.count(b"\n") + 1, offset - (before.rfind(b"\n") + 1) + 1


def map_offset(pieces: Pieces, offset: int) -> int | None:
    """Candidate offset of a base byte, None when the edit rewrote it."""
    for old, new, length in pieces:
        if old <= offset < old + length:
            return new + offset - old
    return None
