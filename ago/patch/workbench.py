"""The files of a patch while it is planned: a ledger and a tree for each, over disk or buffer.

Invariant: the snapshot is never changed; a file gets a ledger when it is first edited or marked.
Invariant: offsets of facts speak of the disk; they go through `locate` before they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from tree_sitter import Tree

from ago.checker.checker import Pieces
from ago.stages import DraftFile, MovedText
from grammar_ops.edit import Edit, Span
from grammar_ops.ledger import Ledger, Mark, Origin
from grammar_ops.linediff import diff_pieces
from grammar_ops.op import Carried
from grammar_ops.reject import Reject
from grammar_ops.syntax.parse import parse, reparse

IMPORT_REPAIR = 0
"""The op number under which imports are repaired; ops of a request count from 1."""


class Place(NamedTuple):
    """A tracked span of one file."""

    path: str
    mark: Mark


class Workbench:
    """Current bytes and trees of every file that a patch looks at or edits."""

    def __init__(self, read: Callable[[str], bytes | None], buffers: Mapping[str, bytes]) -> None:
        """`read` gives the snapshot's bytes; `buffers` is unsaved text, the base where present."""
        self._read, self._buffers = read, dict(buffers)
        self._ledgers: dict[str, Ledger] = {}
        self._deleted: set[str] = set()
        self._edited: dict[str, None] = {}
        self._trees: dict[str, Tree] = {}
        self._from_disk: dict[str, Pieces] = {}
        self._carried: dict[Place, Place] = {}
        self._besides: dict[str, bytes] = {}

    def base(self, path: str) -> bytes | None:
        """What the file holds before the patch: the buffer, else the disk."""
        if path in self._buffers:
            return self._buffers[path]
        text = self._read(path)
        return self._besides.get(path) if text is None else text

    def take_in(self, folder: str, files: Iterable[tuple[str, bytes]]) -> list[str]:
        """Know files that the snapshot does not look at; all that there are below the folder."""
        self._besides.update(files)
        drafted = [path for path in self._edited if path.startswith(f"{folder}/")]
        known = {path for path in self._besides if path.startswith(f"{folder}/")}
        return sorted(path for path in known.union(drafted) if self.find(path) is not None)

    def find(self, path: str) -> bytes | None:
        """Current bytes of a file, None when there is none."""
        if path in self._deleted:
            return None
        if ledger := self._ledgers.get(path):
            return ledger.text
        return self.base(path)

    def source(self, path: str) -> bytes:
        """Current bytes of a file; Reject file_not_found when there is none."""
        text = self.find(path)
        if text is None:
            raise Reject("file_not_found", path)
        return text

    def tree(self, path: str) -> Tree:
        """Current syntax tree of a file."""
        if path not in self._trees:
            self._trees[path] = parse(self.source(path))
        return self._trees[path]

    def apply(self, edits: Sequence[Edit], op: int, carried: Sequence[Carried] = ()) -> list[Span]:
        """Apply one plan's edits at once; where the text of each stands now, in their order."""
        origins = [self._ledger(c.path).origins(c.path, c.span) for c in carried]
        marks = [self._ledger(c.path).marks_within(c.span) for c in carried]
        spans = [Span(0, 0)] * len(edits)
        by_path: dict[str, list[int]] = {}
        for index, edit in enumerate(edits):
            by_path.setdefault(edit.path, []).append(index)
        for path, indices in by_path.items():
            self._edited[path] = None
            group = [edits[index] for index in indices]
            if any(edit.text is None for edit in group):
                self._deleted.add(path)
                self._trees.pop(path, None)
                ledger = self._ledger(path)  # what comes to this path later stands alone
                ledger.splice(Span(0, len(ledger.text)), b"", op)
                continue
            ledger = self._ledger(path)
            self._deleted.discard(path)
            before, tree = ledger.text, self._trees.pop(path, None)
            for index, span in zip(indices, ledger.apply(group, op), strict=True):
                spans[index] = span
            if tree is not None:
                self._trees[path] = reparse(tree, before, group, ledger.text)
        for taken, found, marked in zip(carried, origins, marks, strict=True):
            path, at = edits[taken.edit].path, spans[taken.edit].start + taken.at
            self._ledger(path).adopt(at, found)
            for mark, (start, end) in marked:
                here = self.mark(path, Span(at + start, at + end))
                self._carried[Place(taken.path, mark)] = here
        return spans

    def mark(self, path: str, span: Span) -> Place:
        """Track a span of the current text through the ops to come."""
        return Place(path, self._ledger(path).mark(span))

    def where(self, place: Place) -> Span | None:
        """Where a tracked span stands now, None once it was deleted or cut into."""
        here = self.stands(place)
        return here and here[1]

    def stands(self, place: Place) -> tuple[str, Span] | None:
        """(file, span) where a tracked span stands now, as `where` has it."""
        while place in self._carried:
            place = self._carried[place]
        if place.path in self._deleted:
            return None
        span = self._ledgers[place.path].where(place.mark)
        return span and (place.path, span)

    def locate(self, path: str, span: Span) -> Span | None:
        """Where a span of the disk's text stands now, None when it was rewritten."""
        if path in self._deleted:
            return None
        base = self.in_base(path, span)
        return self.locate_base(path, base) if base else None

    def in_base(self, path: str, span: Span) -> Span | None:
        """Where a span of the disk's text stands in the buffer of a path; itself without one."""
        return _through(self.disk_pieces(path), span) if path in self._buffers else span

    def locate_base(self, path: str, span: Span) -> Span | None:
        """Where a span of the base (the buffer where there is one) stands now."""
        ledger = self._ledgers.get(path)
        return ledger.locate(span) if ledger else span

    def follow(self, path: str, span: Span) -> tuple[str, Span] | None:
        """(file, span) where a span of a file's base stands now, whatever file that is."""
        here = None if path in self._deleted else self.locate_base(path, span)
        if here is not None:
            return path, here
        for now in self._edited:
            pieces = (piece for piece in self._adopted(now) if piece.path == path)
            moved = _through([(p.base, p.start, p.length) for p in pieces], span)
            if moved is not None:
                return now, moved
        return None

    def came_from(self, name: str) -> str:
        """The file whose text an op has moved to the new file of this name; other names as is."""
        if self.base(name) is None and (pieces := self._adopted(name)):
            return pieces[0].path
        return name

    def unlocate(self, path: str, span: Span) -> Span | None:
        """Where a span of a buffer stands on the disk, None when it does not."""
        back = tuple((new, old, length) for old, new, length in self.disk_pieces(path))
        return _through(back, span)

    def disk_pieces(self, path: str) -> Pieces:
        """The pieces of the disk's text that stand in the buffer of a path."""
        if path not in self._from_disk:
            disk = self._read(path)
            self._from_disk[path] = diff_pieces(disk or b"", self._buffers[path])
        return self._from_disk[path]

    def is_buffer(self, path: str) -> bool:
        """Whether a file's base is unsaved text."""
        return path in self._buffers

    @property
    def is_clean(self) -> bool:
        """Whether the current text of every file is the disk's."""
        return not self._edited and not self._buffers

    def unsaved(self) -> list[str]:
        """Paths whose text the disk does not hold: edited so far, or unsaved from the start."""
        return list(dict.fromkeys((*self._edited, *self._buffers)))

    def edited(self) -> list[str]:
        """Paths that the patch has edited so far, in the order of their first edit."""
        return list(self._edited)

    def written(self, path: str) -> list[tuple[int, int, int]]:
        """(start, end, op) of the text that ops wrote into a file."""
        if path in self._deleted or path not in self._ledgers:
            return []
        return self._ledgers[path].written()

    def is_deleted(self, path: str) -> bool:
        """Whether an op of the patch deleted a file."""
        return path in self._deleted

    def arrived(self, path: str) -> list[tuple[int, int]]:
        """The ranges of a file that were moved there from elsewhere."""
        return [(o.start, o.start + o.length) for o in self._adopted(path)]

    def cuts(self, path: str) -> list[int]:
        """Where bytes were cut out of text that had been moved to a file."""
        pieces = self._adopted(path)
        return [
            after.start
            for before, after in pairwise(pieces)
            if before.path == after.path
            and before.start + before.length == after.start
            and before.base + before.length < after.base
        ]

    def overlay(self) -> dict[str, bytes | None]:
        """The current state as an overlay on the disk, buffers included."""
        out: dict[str, bytes | None] = dict(self._buffers)
        out.update((path, self.find(path)) for path in self._edited)
        return out

    def buffers(self) -> dict[str, DraftFile]:
        """The unsaved text that the request came with, as files over the disk."""
        return {
            path: DraftFile(path, self._read(path), text, self.disk_pieces(path))
            for path, text in self._buffers.items()
        }

    def moved(self) -> tuple[MovedText, ...]:
        """The text that stands in another file than it did."""
        found: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for path in self._edited:
            for origin in self._adopted(path):
                piece = (origin.base, origin.start, origin.length)
                found.setdefault((origin.path, path), []).append(piece)
        return tuple(MovedText(*key, tuple(pieces)) for key, pieces in sorted(found.items()))

    def files(self) -> dict[str, DraftFile]:
        """The edited files as draft files; a file that is back at its base is none."""
        out = {}
        for path in self._edited:
            base, text = self.base(path), self.find(path)
            if text != base:
                ledger = self._ledgers.get(path)
                pieces = ledger.pieces() if ledger and text is not None else ()
                out[path] = DraftFile(path, base, text, pieces, path in self._buffers)
        return out

    def _adopted(self, path: str) -> list[Origin]:
        """The pieces of a file that were moved there from elsewhere."""
        if path in self._deleted or path not in self._ledgers:
            return []
        return self._ledgers[path].adopted()

    def _ledger(self, path: str) -> Ledger:
        if path not in self._ledgers:
            self._ledgers[path] = Ledger(self.base(path) or b"")
        return self._ledgers[path]


def read_buffers(overlay: Mapping[str, str]) -> dict[str, bytes]:
    """The unsaved text of a request by path; Reject file_not_found for one outside."""
    out = {}
    for path, text in overlay.items():
        clean = PurePosixPath(path)
        if clean.is_absolute() or ".." in clean.parts:
            raise Reject("file_not_found", f"{path}: give buffers by workspace-relative path")
        out[clean.as_posix()] = text.encode("utf-8", "surrogateescape")
    return out


def _through(pieces: Iterable[tuple[int, int, int]], span: Span) -> Span | None:
    for old, new, length in pieces:
        if old <= span.start and span.end <= old + length:
            return Span(span.start - old + new, span.end - old + new)
    return None
