"""The tree-sitter parser: source bytes to a tree whose offsets are those of the bytes.

Invariant: a tree is a map, never the judge: what is Go is the Go parser's word.
Invariant: text is read from the source bytes, never from a tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter_go
from tree_sitter import Language, Node, Parser, Tree

LANGUAGE = Language(tree_sitter_go.language())

_NEW_CALL = re.compile(rb"\bnew(?=\s*\()")


def parse(src: bytes, old: Tree | None = None) -> Tree:
    """The syntax tree of `src`; `old` is an earlier tree that was told of the edits since.

    The grammar reads the operand of `new` as a type, but Go 1.26 allows `new(expr)`. Where that
    leaves errors, the tree comes from a copy in which the call has a name of the same length.
    """
    tree = _parse(src, old)
    if not tree.root_node.has_error or not _NEW_CALL.search(src):
        return tree
    masked = _parse(_NEW_CALL.sub(b"nev", src), None)
    return min(tree, masked, key=lambda t: sum(1 for _ in find_errors(t.root_node)))


def _parse(src: bytes, old: Tree | None) -> Tree:
    parser = Parser(LANGUAGE)
    return parser.parse(src, old) if old is not None else parser.parse(src)


def find_errors(node: Node) -> Iterator[Node]:
    """The ERROR and missing nodes under `node`, outermost first."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error:
        for child in node.children:
            yield from find_errors(child)
