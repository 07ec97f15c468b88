"""What an agent tells its hooks, as the files that its tool is about to leave behind.

Invariant: a tool is imitated as it is, not as it should be: what it would refuse itself is none of
ours, and what is no edit of files by text is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grammar_ops.reject import Reject
from grammar_ops.text.formats import ENVELOPE, read_edit_text
from grammar_ops.text.splice import Splicer

Texts = dict[str, bytes | None]
"""By absolute path the whole text of a file, None for one that goes."""

_PATCH_KEYS = ("command", "input", "patch")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def read_texts(payload: Mapping[str, Any]) -> Texts:
    """The texts that a tool call is about to write; none where it is no edit, or would fail."""
    given = payload.get("tool_input")
    if not isinstance(given, dict):
        return {}
    folder = Path(str(payload.get("cwd") or "."))
    match payload.get("tool_name"):
        case "Write":
            return _write(folder, given)
        case "Edit":
            return _edit(folder, given, [given])
        case "MultiEdit":
            edits = given.get("edits")
            return _edit(folder, given, edits if isinstance(edits, list) else [])
    patch = next((given[key] for key in _PATCH_KEYS if isinstance(given.get(key), str)), "")
    return _patch(folder, patch) if "*** Begin Patch" in patch else {}


def is_go(path: str) -> bool:
    """Whether a file is judged at all."""
    return path.endswith(".go")


def _write(folder: Path, given: Mapping[str, Any]) -> Texts:
    path, content = given.get("file_path"), given.get("content")
    if not isinstance(path, str) or not isinstance(content, str):
        return {}
    return {_place(folder, path): content.encode("utf-8", "surrogateescape")}


def _edit(folder: Path, given: Mapping[str, Any], edits: list[Any]) -> Texts:
    """Replacements of strings, one after the other, each of one place or of all."""
    path = given.get("file_path")
    if not isinstance(path, str) or not edits:
        return {}
    place = _place(folder, path)
    base = _read(place)
    # The tool compares and replaces in line feeds, and writes the file's own line ends.
    crlf = b"\r\n" in (base or b"")
    text = (base or b"").replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")
    for edit in edits:
        replaced = _replace(text, edit if isinstance(edit, dict) else {}, exists=base is not None)
        if replaced is None:
            return {}
        text = replaced
    written = text.encode("utf-8", "surrogateescape")
    return {place: written.replace(b"\n", b"\r\n") if crlf else written}


def _replace(text: str, edit: Mapping[str, Any], *, exists: bool) -> str | None:
    """A text with one replacement, None where the tool would fail."""
    old, new = edit.get("old_string"), edit.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    if not old:
        return new if not exists or not text else None
    if old not in text:
        # Quotes that are typographic in the file are found by plain ones.
        at = text.translate(_QUOTES).find(old.translate(_QUOTES))
        if at < 0:
            return None
        old = text[at : at + len(old)]
    if edit.get("replace_all"):
        return text.replace(old, new)
    return text.replace(old, new, 1) if text.count(old) == 1 else None


def _patch(folder: Path, patch: str) -> Texts:
    """The files of an apply_patch envelope."""
    out: Texts = {}
    try:
        edits = read_edit_text(patch, "", ENVELOPE).edits
    except Reject:
        return {}
    for edit in edits:
        place = _place(folder, edit.path)
        if edit.text is not None or edit.deletes:
            out[place] = edit.text
            continue
        base = out[place] if place in out else _read(place)
        if base is None:
            return {}
        file = Splicer(place, base, first=True)
        if file.splice_hunks(edit) is not None:
            return {}
        if edit.to:
            out[place] = None
        out[_place(folder, edit.to) if edit.to else place] = file.text
    return out


def inner_texts(texts: Texts, root: Path) -> Iterator[tuple[str, bytes | None]]:
    """The Go files of a workspace among the texts, by path below its root."""
    for path, text in texts.items():
        real = Path(os.path.realpath(path))
        if is_go(path) and real.is_relative_to(root):
            yield real.relative_to(root).as_posix(), text


def _place(folder: Path, path: str) -> str:
    return os.path.normpath(folder / path)


def _read(place: str) -> bytes | None:
    try:
        return Path(place).read_bytes()
    except OSError:
        return None
