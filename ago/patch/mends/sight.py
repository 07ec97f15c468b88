"""What the makers of mends look at: the candidate as text, tree and types, and what it came from.

Invariant: reads only; offsets are those of the candidate, unless a name says base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node, Tree

from ago.checker.checker import TypeOracle
from ago.stages import Candidate
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax.decls import Decl, find_enclosing
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.stmts import BODY, list_handles

RawOp = dict[str, Json]
Rows = list[dict[str, Json]]


class Change(NamedTuple):
    """Bytes of a file of the candidate that another text should stand for."""

    file: str
    start: int
    end: int
    text: str


class Mend(NamedTuple):
    """One way to mend a diagnostic: changes of the candidate, ops beside them, and what it does."""

    why: str
    changes: tuple[Change, ...] = ()
    more: tuple[RawOp, ...] = ()
    settles: bool = False
    """Other diagnostics with the same message are mended by it, too."""


class Handled(NamedTuple):
    """A statement of the base by its handle."""

    pkg: str
    sym: str
    handle: str


@dataclass
class Sight:
    """The view of one refused candidate."""

    candidate: Candidate
    oracle: TypeOracle
    snapshot: Snapshot
    _trees: dict[str, Tree] = field(default_factory=dict)

    def text(self, path: str) -> bytes:
        """A file as the candidate has it."""
        file = self.candidate.files.get(path)
        return (file.text if file else self.snapshot.read(path)) or b""

    def tree(self, path: str) -> Tree:
        """Its syntax tree."""
        if path not in self._trees:
            self._trees[path] = parse(self.text(path))
        return self._trees[path]

    def ask(self, question: dict[str, Json]) -> Mapping[str, Json]:
        """One question to the checker over the candidate."""
        overlay = {path: edited.text for path, edited in self.candidate.files.items()}
        return self.oracle.ask(overlay, [question])[0]

    def node(self, path: str, start: int, end: int) -> Node | None:
        """The smallest named node that covers a range."""
        return self.tree(path).root_node.named_descendant_for_byte_range(start, max(start, end))

    def written(self, path: str, node: Node) -> str:
        """The text of a node."""
        return self.text(path)[node.start_byte : node.end_byte].decode(errors="replace")

    def package_of(self, path: str) -> str:
        """The import path of a file's package."""
        owner, role = self.snapshot.graph.owners.get(path, ("", ""))
        return f"{owner}_test" if role == "xtest" else owner

    def handled(self, path: str, offset: int) -> Handled | None:
        """The statement of the base that stands at an offset, None where the edit wrote it."""
        base = self._base_offset(path, offset)
        if base is None:
            return None
        source = self.snapshot.read(path) or b""
        decl: Decl | None = find_enclosing(parse(source), source, base, path)
        if decl is None:
            return None
        around = [
            handle
            for handle in list_handles(decl).values()
            if handle.name != BODY and handle.node.start_byte <= base < handle.node.end_byte
        ]
        inner = min(around, key=lambda h: h.node.end_byte - h.node.start_byte, default=None)
        return Handled(self.package_of(path), decl.sym, inner.name) if inner else None

    def _base_offset(self, path: str, offset: int) -> int | None:
        file = self.candidate.files.get(path)
        if file is None:
            return offset
        for old, new, length in file.pieces:
            if new <= offset < new + length:
                return old + offset - new
        return None


def rows(answer: Mapping[str, Json], key: str) -> Rows:
    """The objects of a list in an answer."""
    found = answer.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def number(value: Json) -> int:
    """An integer of an answer, 0 for none."""
    return value if isinstance(value, int) else 0
