"""The tree-sitter parser: source bytes to a tree whose offsets are those of the bytes.

Invariant: a tree is a map, never the judge: what is Go is the Go parser's word.
Invariant: text is read from the source bytes, never from a tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import tree_sitter_go
from tree_sitter import Language, Node, Parser, Tree

from grammar_ops.edit import Edit

LANGUAGE = Language(tree_sitter_go.language())

_NEW_CALL = re.compile(rb"\bnew(?=\s*\()")


def parse(src: bytes) -> Tree:
    """The syntax tree of `src`.

    The grammar reads the operand of `new` as a type, but Go 1.26 allows `new(expr)`. Where that
    leaves errors, the tree comes from a copy in which the call has a name of the same length.
    """
    tree = _parse(src, None)
    if not tree.root_node.has_error or not _NEW_CALL.search(src):
        return tree
    masked = _parse(_NEW_CALL.sub(b"nev", src), None)
    return min(tree, masked, key=lambda t: sum(1 for _ in find_errors(t.root_node)))


def _parse(src: bytes, old: Tree | None) -> Tree:
    parser = Parser(LANGUAGE)
    return parser.parse(src, old) if old is not None else parser.parse(src)


def reparse(old: Tree, before: bytes, edits: Sequence[Edit], src: bytes) -> Tree:
    """The tree of `src`, which `edits` made of `before`; what they leave alone is not read again.

    Around errors a tree depends on how it was come by: then the whole text is read.
    """
    grown = sum(len(edit.text or b"") - (edit.span.end - edit.span.start) for edit in edits)
    if old.root_node.has_error or len(before) + grown != len(src):
        return parse(src)
    tree = old.copy()
    for (start, end), text in sorted(((e.span, e.text or b"") for e in edits), reverse=True):
        at, lines = _point(before, start), text.count(b"\n")
        last = (at[0] + lines, len(text) - text.rfind(b"\n") - 1 if lines else at[1] + len(text))
        tree.edit(start, end, start + len(text), at, _point(before, end), last)
    fresh = _parse(src, tree)
    return parse(src) if fresh.root_node.has_error else fresh


def _point(src: bytes, at: int) -> tuple[int, int]:
    return src.count(b"\n", 0, at), at - src.rfind(b"\n", 0, at) - 1


def find_errors(node: Node) -> Iterator[Node]:
    """The ERROR and missing nodes under `node`, outermost first."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error:
        for child in node.children:
            yield from find_errors(child)
