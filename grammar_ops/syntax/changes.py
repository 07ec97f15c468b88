"""Changes between two states of some files, by declaration.

Invariant: what differs in white space alone did not change; a declaration that has another name or
home is told as moved or renamed when nothing else can be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl, find_package_name, list_decls
from grammar_ops.syntax.imports import list_imports, parse_head
from grammar_ops.syntax.names import package_name
from grammar_ops.syntax.parse import parse

Tokens = tuple[str, ...]

_TELLING = 12
"""So many tokens make two declarations of different names one that was renamed."""
_TELLS_ITSELF = 4
"""So many, one of the same name that was moved to another package."""
_NAME = "\0"


@dataclass(frozen=True)
class Piece:
    """A declaration as it is compared."""

    folder: str
    clause: str
    """The name in the package clause."""
    decl: Decl
    text: bytes
    """The whole file."""
    doc: Tokens
    head: Tokens
    body: Tokens

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is called, wherever in its package it stands."""
        return self.folder, self.clause, self.decl.sym

    @property
    def shape(self) -> tuple[str, Tokens]:
        """What it is beside its name."""
        own = set(self.decl.sym.split("."))
        return self.decl.kind, tuple(_NAME if t in own else t for t in (*self.head, *self.body))


@dataclass(frozen=True)
class Change:
    """What became of one declaration; of a file where it has neither."""

    kinds: tuple[str, ...]
    """added removed moved renamed signature body declaration doc; of a file: header."""
    old: Piece | None = None
    new: Piece | None = None
    path: str = ""


@dataclass
class _State:
    """The declarations of one side that no partner has been found for."""

    pieces: dict[tuple[str, str, str], list[Piece]] = field(default_factory=dict)

    def all(self) -> list[Piece]:
        return [piece for found in self.pieces.values() for piece in found]


def list_changes(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[Change]:
    """The changes from one state of some files to another, by file and place; a file that one side
    lacks is not there."""
    before, after = _read(old), _read(new)
    pairs = list(_pair_by_key(before, after))
    pairs += _pair_by_shape(before, after)
    found = [change for one, other in pairs if (change := _compare(one, other))]
    found += [Change(("removed",), old=piece) for piece in before.all()]
    found += [Change(("added",), new=piece) for piece in after.all()]
    found += [
        Change(("header",), path=path)
        for path in sorted(old.keys() & new.keys())
        if not _is_same_header(old[path], new[path])
    ]
    return sorted(found, key=_place)


def _place(change: Change) -> tuple[str, int]:
    piece = change.new or change.old
    return (piece.decl.path, piece.decl.name_span.start) if piece else (change.path, -1)


def _read(files: Mapping[str, bytes]) -> _State:
    state = _State()
    for path, text in sorted(files.items()):
        tree = parse(text)
        clause = find_package_name(tree, text)
        for decl in list_decls(tree, text, path):
            piece = _piece(clause, decl, text)
            state.pieces.setdefault(piece.key, []).append(piece)
    return state


def _piece(clause: str, decl: Decl, text: bytes) -> Piece:
    body = nodes.find_field(decl.node, "body") if decl.kind in ("func", "method") else None
    cut = body.start_byte if body else decl.node.end_byte
    tokens = list(_tokens(decl.node, text))
    head = [decl.kind, *(t for at, t in tokens if at < cut)]
    if decl.kind == "const":
        head += _repeated(decl, text)
    doc = text[decl.full_span.start : decl.span.start] + text[decl.span.end : decl.full_span.end]
    return Piece(
        decl.path.rpartition("/")[0] or ".", clause, decl, text,
        tuple(doc.decode("utf-8", "replace").split()), tuple(head),
        tuple(t for at, t in tokens if at >= cut),
    )  # fmt: skip


def _tokens(node: Node, text: bytes) -> Iterator[tuple[int, str]]:
    for inner in nodes.descendants(node):
        if not inner.child_count or inner.type in _WHOLE:
            yield inner.start_byte, nodes.text_of(text, inner)


_WHOLE = nodes.STRINGS


def _repeated(decl: Decl, text: bytes) -> list[str]:
    """What a constant's value depends on beside its own spec: the spec it repeats, its place."""
    specs = decl.group.specs if decl.group else (decl.node,)
    at = specs.index(decl.node)
    source = next((s for s in specs[at::-1] if nodes.find_field(s, "value")), decl.node)
    found = [str(at)] if nodes.uses_iota(source) else []
    return found + ([nodes.text_of(text, source)] if source != decl.node else [])


def _pair_by_key(before: _State, after: _State) -> Iterator[tuple[Piece, Piece]]:
    """Declarations of one name in a package; of several (init, builds) those of a file first."""
    for key in before.pieces.keys() & after.pieces.keys():
        olds, news = before.pieces[key], after.pieces[key]
        for fits in (_same_file_and_text, _same_file, lambda one, other: True):
            for old in list(olds):
                new = next((new for new in news if fits(old, new)), None)
                if new is not None:
                    olds.remove(old)
                    news.remove(new)
                    yield old, new


def _same_file(one: Piece, other: Piece) -> bool:
    return one.decl.path == other.decl.path


def _same_file_and_text(one: Piece, other: Piece) -> bool:
    return _same_file(one, other) and (one.head, one.body) == (other.head, other.body)


def _pair_by_shape(before: _State, after: _State) -> Iterator[tuple[Piece, Piece]]:
    """What one side lost and the other gained, alike but for names, where only one fits."""
    olds, news = _by_shape(before.all()), _by_shape(after.all())
    for shape in olds.keys() & news.keys():
        size = len(shape[1])
        for old in list(olds[shape]):
            same = [new for new in news[shape] if new.decl.sym == old.decl.sym]
            fits = same if same and size >= _TELLS_ITSELF else news[shape]
            alone = len(olds[shape]) == 1 and size >= _TELLING
            if len(fits) == 1 and (fits is same or alone):
                (new,) = fits
                news[shape].remove(new)
                before.pieces[old.key].remove(old)
                after.pieces[new.key].remove(new)
                yield old, new


def _by_shape(pieces: Iterable[Piece]) -> dict[tuple[str, Tokens], list[Piece]]:
    found: dict[tuple[str, Tokens], list[Piece]] = {}
    for piece in pieces:
        found.setdefault(piece.shape, []).append(piece)
    return found


def _compare(old: Piece, new: Piece) -> Change | None:
    kinds = []
    if old.decl.path != new.decl.path:
        kinds.append("moved")
    if old.decl.sym != new.decl.sym:
        kinds.append("renamed")
    elif old.head != new.head:
        kinds.append("signature" if new.decl.kind in ("func", "method") else "declaration")
    if old.decl.sym == new.decl.sym and old.body != new.body:
        kinds.append("body")
    if old.doc != new.doc:
        kinds.append("doc")
    return Change(tuple(kinds), old, new) if kinds else None


def _is_same_header(old: bytes, new: bytes) -> bool:
    """Whether the heads of a file agree in what its declarations don't show: the clause, the
    constraints, and which packages the names of its imports mean."""
    one, other = _header(old), _header(new)
    if (one.clause, one.build, one.unnamed) != (other.clause, other.build, other.unnamed):
        return False
    return all(path == other.named.get(name, path) for name, path in one.named.items())


class _Header(NamedTuple):
    clause: str
    build: list[str]
    unnamed: set[tuple[str, str]]
    named: dict[str, str]


def _header(text: bytes) -> _Header:
    tree = parse_head(text)
    lines = text[: text.find(b"\npackage ") + 1].decode("utf-8", "replace").splitlines()
    imports = list_imports(tree, text)
    return _Header(
        find_package_name(tree, text),
        [line.strip() for line in lines if line.startswith("//go:")],
        {(imp.name, imp.path) for imp in imports if imp.name in (".", "_")},
        {imp.name or package_name(imp.path): imp.path for imp in imports},
    )
