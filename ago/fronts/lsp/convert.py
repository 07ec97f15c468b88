"""Bytes and the protocol's positions: the one place that knows of UTF-16, of URIs and of `pos`.

Invariant: pure functions; a position past the end of its line is the line's end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from grammar_ops.reject import Json

_POS = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::(?P<col>\d+))?")
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Text:
    """A text with its lines, in the encoding that the client counts characters in."""

    def __init__(self, data: bytes, encoding: str = "utf-16") -> None:
        """`encoding` is a PositionEncodingKind."""
        self.data = data
        self._codec, self._unit = _UNITS[encoding]
        self._starts = [0, *(m.end() for m in re.finditer(rb"\n", data))]

    def offset(self, position: types.Position) -> int:
        """The byte at a position."""
        if position.line >= len(self._starts):
            return len(self.data)
        start, end = self._line(position.line)
        units = self._decode(start, end).encode(self._codec, "surrogatepass")
        head = units[: position.character * self._unit]
        return start + len(head.decode(self._codec, "ignore").encode())

    def position(self, offset: int) -> types.Position:
        """The position of a byte."""
        line = bisect_right(self._starts, offset) - 1
        head = self._decode(self._starts[line], offset)
        return types.Position(line, len(head.encode(self._codec)) // self._unit)

    def span(self, start: int, end: int) -> types.Range:
        """The range of some bytes."""
        return types.Range(self.position(start), self.position(end))

    def offset_of(self, line: int, col: int) -> int:
        """The byte at a line and byte column as responses count them, from 1."""
        if line > len(self._starts):
            return len(self.data)
        start, end = self._line(max(line, 1) - 1)
        return min(start + max(col, 1) - 1, end)

    def point(self, offset: int) -> tuple[int, int]:
        """Line and byte column of a byte, from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def _line(self, line: int) -> tuple[int, int]:
        """The bytes of a line without its end."""
        start = self._starts[line]
        last = line + 1 == len(self._starts)
        end = len(self.data) if last else self._starts[line + 1] - 1
        return start, end - 1 if not last and self.data[start:end].endswith(b"\r") else end

    def _decode(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")


def path_of(uri: str) -> str:
    """The real path of a file's URI, "" for what is no file."""
    parts = urlsplit(uri)
    return str(Path(unquote(parts.path)).resolve()) if parts.scheme == "file" else ""


def uri_of(root: str, path: str) -> str:
    """The URI of a workspace-relative path."""
    return Path(root, path).as_uri()


def parse_pos(pos: str) -> tuple[str, int, int]:
    """(path, line, column) of a position as responses write it; line 0 for a file alone."""
    match = _POS.fullmatch(pos)
    return (match["path"], int(match["line"]), int(match["col"] or 1)) if match else (pos, 0, 0)


def text_edits(text: Text, edits: Iterable[tuple[int, int, str]]) -> list[types.TextEdit]:
    """Byte replacements of a text as the protocol has them."""
    return [types.TextEdit(text.span(start, end), new) for start, end, new in edits]


def wire_edits(rows: object) -> list[tuple[int, int, str]]:
    """The text edits of a response; what is zero or empty is not on the wire."""
    assert isinstance(rows, list)
    return [(row.get("start", 0), row.get("end", 0), row.get("text", "")) for row in rows]


class Change:
    """A workspace edit while it is put together."""

    def __init__(self, root: str) -> None:
        """Changes nothing yet."""
        self._root = root
        self._made: list[types.CreateFile | types.DeleteFile] = []
        self._edits: list[types.TextDocumentEdit] = []

    def edit(self, path: str, edits: list[types.TextEdit], version: int | None) -> None:
        """Replace text of a file; `version` is that of its open document."""
        target = types.OptionalVersionedTextDocumentIdentifier(uri_of(self._root, path), version)
        self._edits.append(types.TextDocumentEdit(target, [*edits]))

    def create(self, path: str) -> None:
        """Make a file that is not there."""
        self._made.append(types.CreateFile(uri_of(self._root, path)))

    def delete(self, path: str) -> None:
        """Delete a file."""
        self._made.append(types.DeleteFile(uri_of(self._root, path)))

    def finish(self) -> types.WorkspaceEdit:
        """The edit; files are made before they are filled."""
        made = [one for one in self._made if isinstance(one, types.CreateFile)]
        gone = [one for one in self._made if isinstance(one, types.DeleteFile)]
        return types.WorkspaceEdit(document_changes=[*made, *self._edits, *gone])


def plain_range(at: types.Range) -> dict[str, Json]:
    """A range as a command's argument."""
    start, end = at.start, at.end
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def range_of(plain: Mapping[str, Mapping[str, int]]) -> types.Range:
    """A range from a command's argument."""
    return types.Range(position_of(plain["start"]), position_of(plain["end"]))


def position_of(plain: Mapping[str, int]) -> types.Position:
    """A position from a command's argument."""
    return types.Position(plain["line"], plain["character"])


def as_strings(value: Mapping[str, Json]) -> dict[str, str]:
    """The answers to an action's questions."""
    return {key: text for key, text in value.items() if isinstance(text, str)}


def as_rows(value: Json) -> list[list[str]]:
    """The renames or moves of an edit."""
    rows = value if isinstance(value, list) else []
    return [[str(cell) for cell in row] for row in rows if isinstance(row, list)]
