"""The formats of an edit given as text: told apart by their first marker line, and read.

Invariant: a text that could be of two formats is taken for the one whose marker comes first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from grammar_ops.reject import Reject, register
from grammar_ops.text.blocks import is_head, parse_blocks, pin_block
from grammar_ops.text.envelope import is_marker, parse_envelope, pin_chunk
from grammar_ops.text.hunks import FileEdit, Hunk, list_lines, looks_like_path
from grammar_ops.text.unified import is_header, parse_diff, pin_hunk

register(
    "grammar",
    {"edit_format_unknown": "the text is no edit of a known format, nor a file with its path"},
)

BLOCKS, DIFF, ENVELOPE, WHOLE = "blocks", "diff", "envelope", "whole"
FORMATS = (BLOCKS, DIFF, ENVELOPE, WHOLE)

_CLAUSE = re.compile(rb"package\s+\w+.*")
_FENCE = re.compile(rb"(?:`{3,}|~{3,})[\w+-]*\s*")

_PINS: dict[str, Callable[[Sequence[bytes], Hunk, int], list[bytes]]] = {
    BLOCKS: pin_block, DIFF: pin_hunk, ENVELOPE: pin_chunk,
}  # fmt: skip


class EditText(NamedTuple):
    """A text that was read: its format, its lines, what it wants."""

    format: str
    lines: tuple[bytes, ...]
    edits: tuple[FileEdit, ...]

    def pinned(self, hunk: Hunk, line: int) -> str:
        """The text with one of its hunks bound to a line of its file."""
        return _text_of(_PINS[self.format](self.lines, hunk, line))

    def brought_up(self, hunk: Hunk, now: Sequence[bytes]) -> str:
        """The text with the lines that a hunk looks for as they read now, one for one."""
        lines, at = list(self.lines), 0
        for row in hunk.rows:
            if row.tag == "+":
                continue
            tag = b"" if self.format == BLOCKS else row.tag.encode()
            lines[row.at] = tag + now[at]
            if row.twin >= 0:
                lines[row.twin] = now[at]
            at += 1
        return _text_of(lines)


def read_edit_text(text: str, path: str, form: str) -> EditText:
    """The edits of a text; Reject edit_format_unknown and what the formats refuse."""
    given = text.encode("utf-8", "surrogateescape")
    lines = list_lines(given)
    form = form or find_format(lines, path)
    if form == BLOCKS:
        edits = parse_blocks(lines, path)
    elif form == DIFF:
        edits = parse_diff(lines, path)
    elif form == ENVELOPE and any(map(is_marker, lines)):
        edits = parse_envelope(lines)
    elif form == WHOLE:
        edits = _whole_files(given, lines, path)
    else:
        edits = []
    if not edits:
        known = "search/replace blocks, a unified diff, an apply_patch envelope, or a whole file"
        raise Reject("edit_format_unknown", f"wanted: {known} with its `path`")
    return EditText(form, tuple(lines), tuple(edits))


def find_format(lines: Sequence[bytes], path: str) -> str:
    """The format of a text by its first marker; the text of a Go file may hold markers itself."""
    for at, line in enumerate(lines):
        if path and _CLAUSE.fullmatch(line):
            return WHOLE
        if is_marker(line):
            return ENVELOPE
        if is_head(line):
            return BLOCKS
        if is_header(lines, at):
            return DIFF
    return WHOLE


def _whole_files(given: bytes, lines: Sequence[bytes], path: str) -> list[FileEdit]:
    """The text as a file, or the files that it gives in fences, each below its path."""
    fences = [at for at, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if path:
        if len(fences) >= 2 and not any(line.strip() for line in lines[: fences[0]]):
            given = b"".join(line + b"\n" for line in lines[fences[0] + 1 : fences[-1]])
        return [FileEdit(path, 0, text=given)]
    files = []
    for start, end in zip(fences[::2], fences[1::2], strict=False):
        above = lines[start - 1].decode("utf-8", "replace") if start else ""
        name = above.strip("#*`: ")
        if looks_like_path(name):
            text = b"".join(line + b"\n" for line in lines[start + 1 : end])
            files.append(FileEdit(name, start, text=text))
    return files


def _text_of(lines: Sequence[bytes]) -> str:
    return b"".join(line + b"\n" for line in lines).decode("utf-8", "surrogateescape")
