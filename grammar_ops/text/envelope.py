"""The envelope of `apply_patch`: `*** Begin Patch`, files to add, delete, update, `*** End Patch`.

Lenient as the tool that it comes from: white space around markers, a here-document around it all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grammar_ops.text.hunks import GONE, KEPT, NEW, FileEdit, Hunk, Row, malformed

BEGIN, _END = b"*** Begin Patch", b"*** End Patch"
_FILE = re.compile(rb"\*\*\* (Add|Delete|Update) File: ?(.+)")
_MOVE = re.compile(rb"\*\*\* Move to: ?(.+)")
_END_OF_FILE = b"*** End of File"
_NUMBERED = re.compile(rb"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)")


def is_marker(line: bytes) -> bool:
    """Whether a line begins an envelope or a file of one."""
    word = line.strip()
    return word == BEGIN or _FILE.fullmatch(word) is not None


def parse_envelope(lines: Sequence[bytes]) -> list[FileEdit]:
    """The edits of an envelope; Reject edit_text_malformed."""
    edits: list[FileEdit] = []
    at = next(at for at, line in enumerate(lines) if is_marker(line))
    while at < len(lines):
        word = lines[at].strip()
        if word == _END:
            break
        found = _FILE.fullmatch(word)
        if found is not None:
            edit, at = _read_file(lines, at, found)
            edits.append(edit)
        elif word in (b"", BEGIN):
            at += 1
        else:
            raise malformed(at, "`*** Add File:`, `*** Delete File:` or `*** Update File:` wanted")
    return edits


def pin_chunk(lines: Sequence[bytes], hunk: Hunk, line: int) -> list[bytes]:
    """The text with a chunk bound to a line of its file."""
    sizes = line, len(hunk.old), line, len(hunk.new)
    header = b"@@ -%d,%d +%d,%d @@" % sizes
    start = hunk.at
    while lines[start].startswith(b"@@"):
        start += 1
    return [*lines[: hunk.at], header, *lines[start:]]


def _read_file(lines: Sequence[bytes], head: int, found: re.Match[bytes]) -> tuple[FileEdit, int]:
    """The file whose section begins at a line, and the line behind it."""
    path = _name(found[2])
    at = head + 1
    if found[1] == b"Delete":
        return FileEdit(path, head, deletes=True), at
    if found[1] == b"Add":
        while at < len(lines) and lines[at].startswith(b"+"):
            at += 1
        text = b"".join(line[1:] + b"\n" for line in lines[head + 1 : at])
        return FileEdit(path, head, text=text), at
    to = ""
    if at < len(lines) and (moved := _MOVE.fullmatch(lines[at].strip())):
        to, at = _name(moved[1]), at + 1
    hunks: list[Hunk] = []
    while at < len(lines) and not lines[at].startswith((b"***", b"```")):
        if not lines[at].strip():
            at += 1
            continue
        hunk, at = _read_chunk(lines, at, len(hunks) + 1)
        hunks.append(hunk)
    if not hunks and not to:
        raise malformed(head, "nothing is said to change in the file")
    return FileEdit(path, head, tuple(hunks), to=to), at


def _read_chunk(lines: Sequence[bytes], head: int, number: int) -> tuple[Hunk, int]:
    """The chunk that begins at a line, and the line behind it."""
    at, line, heads = head, 0, list[bytes]()
    while at < len(lines) and lines[at].startswith(b"@@"):
        if numbered := _NUMBERED.fullmatch(lines[at]):
            line = int(numbered[1])
            heads += [numbered[2]] if numbered[2].strip() else []
        elif name := lines[at][2:].strip().removesuffix(b"@@").strip():
            heads.append(name)
        at += 1
    rows: list[Row] = []
    to_end = False
    while at < len(lines):
        row = lines[at]
        if row.strip() == _END_OF_FILE:
            to_end, at = True, at + 1
            break
        tag = row[:1].decode("latin-1") or KEPT
        if tag not in (KEPT, GONE, NEW):
            break
        rows.append(Row(tag, row[1:], at))
        at += 1
    while rows and not lines[rows[-1].at]:
        rows.pop()  # blank lines between chunks are none of theirs
    if not any(row.tag != KEPT for row in rows):
        msg = "lines of a chunk begin with a space, - or +; one of them must change something"
        raise malformed(min(at, len(lines) - 1) if at > head else head, msg)
    return Hunk(f"hunk {number}", head, tuple(rows), line, tuple(heads), to_end), at


def _name(raw: bytes) -> str:
    return raw.strip().decode("utf-8", "surrogateescape")
