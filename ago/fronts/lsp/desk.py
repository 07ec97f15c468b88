"""A desk: one workspace as an editor has it, its open documents over the tools of its link.

Invariant: a mutation is judged with every unsaved text; it is never written over one.
"""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ago.daemon.link import Link
from ago.fronts.lsp.convert import Change, Text, text_edits, wire_edits
from ago.fronts.lsp.documents import Document, map_offset, strip_bom
from grammar_ops.reject import Json

Body = dict[str, Json]


class Desk:
    """The documents of one workspace, for the event loop's thread alone."""

    def __init__(self, root: str, link: Link, encoding: str) -> None:
        """`encoding` is how the client counts characters."""
        self.root, self.link, self._encoding = root, link, encoding
        self.documents: dict[str, Document] = {}
        self.viewed: set[str] = set()
        """The symbols whose views the editor may have open."""

    def relative(self, path: str) -> str:
        """A file of the workspace as ago writes it."""
        return Path(path).relative_to(self.root).as_posix()

    def text(self, path: str) -> Text:
        """What the editor shows of a file, else what the disk holds."""
        document = self.documents.get(path)
        return Text(document.text if document else self.read(path) or b"", self._encoding)

    def disk_text(self, path: str) -> Text:
        """What the disk holds, as positions in the answers to questions count it."""
        return Text(self.read(path) or b"", self._encoding)

    def read(self, path: str) -> bytes | None:
        """The file on the disk, without a byte order mark; None when there is none."""
        try:
            return strip_bom(Path(self.root, path).read_bytes())
        except OSError:
            return None

    def with_overlay(self, tool: str, args: Body) -> Body:
        """The arguments of a mutation with the unsaved text that it is to be judged with."""
        unsaved = {d.path: d.text for d in self.documents.values() if d.is_unsaved}
        if not unsaved:
            return args
        # The catalog costs 200 ms to import: an editor has its first answer without it.
        from ago.catalog.sugar import SUGAR

        if tool != "patch" and tool not in SUGAR:
            return args
        return {**args, "overlay": {p: self._as_on_disk(p, text) for p, text in unsaved.items()}}

    def address(self, path: str, offset: int) -> str:
        """A byte of a buffer as the address that a mutation with the overlay understands.

        "" where others wrote that line anew and the editor does not show it yet.
        """
        document = self.documents.get(path)
        if document is None or not document.is_unsaved:
            return self.disk_address(path, offset)
        line, col = Text(document.text).point(offset)
        return f"{path}:{line}:{col}"

    def disk_address(self, path: str, offset: int) -> str:
        """A byte of a buffer as the disk has it; "" where that line is the buffer's alone."""
        document = self.documents.get(path)
        disk = self.read(path) or b""
        at = map_offset(document.text, disk, offset) if document else offset
        if at is None:
            return ""
        line, col = Text(disk).point(at)
        return f"{path}:{line}:{col}"

    def shown(self, path: str, line: int, col: int, length: int = 0) -> types.Range:
        """A position on the disk, as the range that the editor shows there."""
        disk = self.disk_text(path)
        start = disk.offset_of(line, col)
        document = self.documents.get(path)
        if document is None or document.text == disk.data:
            return disk.span(start, min(start + length, len(disk.data)))
        at = map_offset(disk.data, document.text, start)
        text = Text(document.text, self._encoding)
        at = text.offset_of(line, col) if at is None else at
        return text.span(at, min(at + length, len(document.text)))

    def workspace_edit(self, body: Body) -> types.WorkspaceEdit:
        """The text edits of an accepted mutation that is the editor's to make."""
        change = Change(self.root)
        edits, deletes = body.get("edits", {}), body.get("deletes", [])
        assert isinstance(edits, dict)
        assert isinstance(deletes, list)
        for path, rows in edits.items():
            if path in deletes:
                change.delete(path)
                continue
            if path not in self.documents and self.read(path) is None:
                change.create(path)
            change.edit(path, self._edits(path, wire_edits(rows)), self.version(path))
        return change.finish()

    def merge_edit(
        self, document: Document, edits: list[tuple[int, int, bytes]]
    ) -> types.WorkspaceEdit:
        """What others wrote, as an edit of an open document."""
        change = Change(self.root)
        rows = [(start, end, text.decode("utf-8", "replace")) for start, end, text in edits]
        text = Text(document.text, self._encoding)
        change.edit(document.path, text_edits(text, rows), document.version)
        return change.finish()

    def version(self, path: str) -> int | None:
        """The version of an open document."""
        document = self.documents.get(path)
        return document.version if document else None

    def _edits(self, path: str, rows: list[tuple[int, int, str]]) -> list[types.TextEdit]:
        """Edits of what the request was planned on: the unsaved text, else the disk's."""
        document = self.documents.get(path)
        unsaved = document is not None and document.is_unsaved
        mark = self._mark(path)
        moved = [(max(0, start - mark), max(0, end - mark), new) for start, end, new in rows]
        return text_edits(self.text(path) if unsaved else self.disk_text(path), moved)

    def _as_on_disk(self, path: str, text: bytes) -> str:
        return ("\ufeff" if self._mark(path) else "") + text.decode("utf-8", "replace")

    def _mark(self, path: str) -> int:
        """The length of the byte order mark of a file, which no buffer holds."""
        try:
            with Path(self.root, path).open("rb") as file:
                return 3 if file.read(3) == b"\xef\xbb\xbf" else 0
        except OSError:
            return 0
