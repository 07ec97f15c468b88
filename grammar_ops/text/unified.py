"""Unified diffs as git and diff write them, and as models do: line numbers and counts are hints.

What a line is, its first character says; the counts of a hunk decide only where that is unclear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from grammar_ops.reject import Reject
from grammar_ops.text.hunks import GONE, KEPT, NEW, FileEdit, Hunk, Row, malformed

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)")
_LOOSE = re.compile(rb"@@(?: \.\.\. @@| @@| .*)?")
_PREFIXED = rb'(?P<old>"?[abciow]/.+?"?) (?P<new>"?[abciow]/.+"?)'
_GIT = re.compile(rb"diff --git (?:%b|(?P<bare>\S+) (?P<to>\S+))" % _PREFIXED)
_MODE = re.compile(rb"new (?:file )?mode (\d+)")
_TIME = re.compile(rb"\s+\d{4}-\d\d-\d\d\b.*")
_INDEX = re.compile(rb"index ([0-9a-f]+)\.\.[0-9a-f]+.*")
_BINARY = (b"Binary files ", b"GIT binary patch")
_NOWHERE = "/dev/null"
_PLAIN_MODE = b"100644"
_SIGNATURE = b"-- "
"""Ends a mail, as `git format-patch` writes one."""


@dataclass
class _File:
    """A file of the diff while its lines are read."""

    at: int
    old: str = ""
    new: str = ""
    blob: str = ""
    deletes: bool = False
    creates: bool = False
    git: bool = False
    """Its names are git's, which differ only where the file moves."""
    mode: bool = False
    """It asks for other permissions."""
    hunks: list[Hunk] = field(default_factory=list)


def is_header(lines: Sequence[bytes], at: int) -> bool:
    """Whether a file or a hunk of a diff begins at a line."""
    return is_file_header(lines, at) or _HUNK.fullmatch(lines[at]) is not None


def is_file_header(lines: Sequence[bytes], at: int) -> bool:
    """Whether a file of a diff begins at a line."""
    if _GIT.fullmatch(lines[at]):
        return True
    pair = lines[at : at + 2]
    return len(pair) == 2 and pair[0].startswith(b"--- ") and pair[1].startswith(b"+++ ")


def parse_diff(lines: Sequence[bytes], path: str) -> list[FileEdit]:
    """The edits of a unified diff; Reject edit_text_malformed, edit_names_no_file."""
    files: list[_File] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if is_file_header(lines, at):
            at = _read_header(lines, at, files)
        elif _HUNK.fullmatch(line) or (files and _LOOSE.fullmatch(line)):
            if not files:
                files.append(_named(path, at))
            hunk, at = _read_hunk(lines, at, len(files[-1].hunks) + 1)
            files[-1].hunks.append(hunk)
        elif line.startswith(b"@@@ "):
            raise malformed(at, "a merge's combined diff has no one file that it was made from")
        else:
            at += 1
    return [_edit_of(file) for file in files]


def pin_hunk(lines: Sequence[bytes], hunk: Hunk, line: int) -> list[bytes]:
    """The text with a hunk bound to a line of its file."""
    found = _HUNK.fullmatch(lines[hunk.at])
    section = b" " + found[4] if found and found[4] else b""
    sizes = line, len(hunk.old), line, len(hunk.new)
    header = b"@@ -%d,%d +%d,%d @@%s" % (*sizes, section)
    return [*lines[: hunk.at], header, *lines[hunk.at + 1 :]]


def _named(path: str, at: int) -> _File:
    if not path:
        raise Reject("edit_names_no_file", f"line {at + 1} of the text: `--- a/FILE` is missing")
    return _File(at, path, path)


def _read_header(lines: Sequence[bytes], at: int, files: list[_File]) -> int:
    """Take in the lines about a file; the line behind them."""
    if found := _GIT.fullmatch(lines[at]):
        file = _File(at, *_git_names(found), git=True)
        files.append(file)
        at += 1
        while at < len(lines) and _read_git_line(lines[at], at, file):
            at += 1
        if at >= len(lines) or not lines[at].startswith(b"--- "):
            return at
    else:
        file = _File(at)
        files.append(file)
    if at + 1 < len(lines) and lines[at + 1].startswith(b"+++ "):
        old, new = _path_of(lines[at][4:]), _path_of(lines[at + 1][4:])
        file.old = old if old == _NOWHERE or not file.git else file.old
        file.new = new if new == _NOWHERE or not file.git else file.new
        at += 2
    return at


def _git_names(found: re.Match[bytes]) -> tuple[str, str]:
    """The names in git's header, without the letters that git puts before them."""
    if found["bare"]:
        return _unquoted(found["bare"]), _unquoted(found["to"])
    old, new = _unquoted(found["old"]), _unquoted(found["new"])
    return (old, new) if old[0] == new[0] else (old[2:], new[2:])


def _read_git_line(line: bytes, at: int, file: _File) -> bool:
    """Take in a line that git writes below `diff --git`; False for any other."""
    if line.startswith(_BINARY):
        raise malformed(at, "a binary file can't be changed by text")
    if found := _INDEX.fullmatch(line):
        file.blob = found[1].decode()
    elif line.startswith(b"rename from "):
        file.old = _unquoted(line[12:])
    elif line.startswith(b"rename to "):
        file.new = _unquoted(line[10:])
    elif line.startswith(b"copy "):
        raise malformed(at, "copies are not known here: give the new file whole")
    elif found := _MODE.fullmatch(line):
        file.creates = line.startswith(b"new file")
        file.mode = not file.creates or found[1] != _PLAIN_MODE
    elif line.startswith(b"deleted file mode "):
        file.deletes = True
    else:
        return line.startswith((b"old mode ", b"similarity ", b"dissimilarity "))
    return True


def _read_hunk(lines: Sequence[bytes], head: int, number: int) -> tuple[Hunk, int]:
    """The hunk that begins at a line, and the line behind it."""
    found = _HUNK.fullmatch(lines[head])
    old, new = (int(found[2] or 1), int(found[3] or 1)) if found else (0, 0)
    rows: list[Row] = []
    bare: bool | None = None
    at = head + 1
    while at < len(lines):
        line = lines[at]
        due = old > 0 or new > 0
        if line.startswith(b"\\"):
            bare = bool(rows) and rows[-1].tag != GONE
            at += 1
            continue
        ends = line.startswith((b"@@", b"```")) or (line == _SIGNATURE and found and not due)
        if ends or _ends_hunk(lines, at, due=due):
            break
        tag = line[:1].decode("latin-1") or KEPT
        if tag not in (KEPT, GONE, NEW):
            if not due:
                break
            tag, line = KEPT, b" " + line  # the space before a line that stays was forgotten
        rows.append(Row(tag, line[1:], at))
        old, new = old - (tag != NEW), new - (tag != GONE)
        at += 1
    rows = _without_end(rows, lines, max(0, -old))
    if not any(row.tag != KEPT for row in rows):
        raise malformed(head, "the hunk changes nothing")
    line_number = int(found[1]) if found else 0
    section = (found[4],) if found and found[4].strip() else ()
    return Hunk(f"hunk {number}", head, tuple(rows), line_number, section, bare=bare), at


def _ends_hunk(lines: Sequence[bytes], at: int, *, due: bool) -> bool:
    """Whether the next file begins at a line; a gone line `-- x` above a new one `++ x` looks like
    it, while lines are due."""
    if not is_file_header(lines, at):
        return False
    begins = any(line.startswith(b"@@") for line in lines[at + 2 : at + 3])
    return not due or begins or lines[at].startswith(b"diff ")


def _without_end(rows: list[Row], lines: Sequence[bytes], extra: int) -> list[Row]:
    """The rows without empty lines of the text behind the hunk, which are none of its own."""
    while rows and extra > 0 and not lines[rows[-1].at]:
        rows.pop()
        extra -= 1
    return rows


def _edit_of(file: _File) -> FileEdit:
    name = file.new if file.new != _NOWHERE else file.old
    if not name or name == _NOWHERE:
        raise malformed(file.at, "no file is named")
    if file.creates or file.old == _NOWHERE:
        new = [line for hunk in file.hunks for line in hunk.new]
        bare = bool(file.hunks) and file.hunks[-1].bare
        text = b"\n".join(new) + (b"" if bare or not new else b"\n")
        return FileEdit(name, file.at, text=text, creates=True, mode=file.mode)
    edit = FileEdit(file.old, file.at, tuple(file.hunks), blob=file.blob, mode=file.mode)
    if file.deletes or file.new == _NOWHERE:
        return replace(edit, deletes=True)
    moves = file.git and file.new != file.old
    if not file.hunks and not moves:
        only = "only the file's mode" if file.mode else "nothing of the file"
        raise malformed(file.at, f"{only} changes here")
    if moves:
        return replace(edit, to=file.new)
    # `diff -u x.go.orig x.go` and `diff -r old new` name two files, and mean the one that is here.
    return replace(edit, path=file.new, other=file.old if file.new != file.old else "")


def _path_of(raw: bytes) -> str:
    """The path in a header, without the prefix `a/` or `b/`, quotes and a time."""
    path = _unquoted(_TIME.sub(b"", raw.split(b"\t")[0]).strip())
    return path[2:] if path.startswith(("a/", "b/")) else path


def _unquoted(word: bytes) -> str:
    if word.startswith(b'"') and word.endswith(b'"'):
        # git quotes as C does: octal bytes and backslashes.
        with suppress(ValueError):
            word = word[1:-1].decode("unicode_escape").encode("latin-1")
    return word.decode("utf-8", "surrogateescape")
