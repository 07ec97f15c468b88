"""Search/replace blocks: a text to find and the text that takes its place, between marker lines.

Known are the markers `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, their relatives with `-------`
and `+++++++`, and `:start_line:N` before the searched text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grammar_ops.reject import Reject
from grammar_ops.text.hunks import FileEdit, Hunk, looks_like_path, malformed, pair_rows

_HEAD = re.compile(rb"\s*(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)>?\s*")
_DIVIDER = re.compile(rb"\s*={5,9}\s*")
_TAIL = re.compile(rb"\s*(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED)\s*")
_START = re.compile(rb"\s*:start_line: ?(\d+)\s*")
_MORE = re.compile(rb"\s*(?::end_line: ?\d+|-{5,9})\s*")
_FENCE = re.compile(rb"\s*(?:`{3,}|~{3,})(.*)")
_LABEL = re.compile(r"(?:file(?:name|path)?|path)\s*:\s*", re.IGNORECASE)
_REACH = 3
"""How many lines above a block its file may be named."""


def is_head(line: bytes) -> bool:
    """Whether a block begins with a line."""
    return _HEAD.fullmatch(line) is not None


def parse_blocks(lines: Sequence[bytes], path: str) -> list[FileEdit]:
    """The edits of a text with blocks; Reject edit_text_malformed, edit_names_no_file."""
    edits: list[FileEdit] = []
    at, number, after = 0, 0, 0
    while at < len(lines):
        if not is_head(lines[at]):
            at += 1
            continue
        number += 1
        path = _named_above(lines[max(after, at - _REACH) : at]) or path
        if not path:
            detail = f"line {at + 1} of the text: name the file on the line before the block"
            raise Reject("edit_names_no_file", detail)
        hunk, after = _parse_block(lines, at, number)
        edits.append(_edit_of(path, at, hunk))
        at = after
    return edits


def pin_block(lines: Sequence[bytes], hunk: Hunk, line: int) -> list[bytes]:
    """The text with a block bound to a line of its file."""
    start = hunk.at + 1
    end = start
    while _START.fullmatch(lines[end]) or _MORE.fullmatch(lines[end]):
        end += 1
    return [*lines[:start], b":start_line:%d" % line, b"-------", *lines[end:]]


def _parse_block(lines: Sequence[bytes], head: int, number: int) -> tuple[Hunk, int]:
    """The block that begins at a line, and the line behind it."""
    start, line = head + 1, 0
    while start < len(lines):
        if found := _START.fullmatch(lines[start]):
            line = int(found[1])
        elif not (line and _MORE.fullmatch(lines[start])):
            break
        start += 1
    divider = _find(lines, start, _DIVIDER, "`=======` is missing", head)
    tail = _find(lines, divider + 1, _TAIL, "`>>>>>>> REPLACE` is missing", head)
    old = [(at, lines[at]) for at in range(start, divider)]
    new = [(at, lines[at]) for at in range(divider + 1, tail)]
    return Hunk(f"block {number}", head, tuple(pair_rows(old, new)), line, loose=True), tail + 1


def _find(
    lines: Sequence[bytes], start: int, marker: re.Pattern[bytes], missing: str, head: int
) -> int:
    for at in range(start, len(lines)):
        if marker.fullmatch(lines[at]):
            return at
        if is_head(lines[at]):
            raise malformed(at, f"{missing} in the block of line {head + 1}")
    raise malformed(head, f"{missing} in the block that begins here")


def _edit_of(path: str, at: int, hunk: Hunk) -> FileEdit:
    """A block that looks for nothing is a file that is to be made."""
    if any(line.strip() for line in hunk.old):
        return FileEdit(path, at, (hunk,))
    text = b"".join(line + b"\n" for line in hunk.new)
    return FileEdit(path, at, text=text, creates=True)


def _named_above(above: Sequence[bytes]) -> str:
    """The path that the lines above a block give, "" for none."""
    for raw in reversed(above):
        fence = _FENCE.fullmatch(raw)
        words = (fence[1] if fence else raw).decode("utf-8", "replace").strip()
        name = _LABEL.sub("", words.strip("#*`: ")).strip("#*`: ")
        if fence:
            name = name.rpartition(" ")[2]
        if looks_like_path(name):
            return name
        if words and not fence:
            return ""
    return ""
