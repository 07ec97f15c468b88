"""What a file says of itself above its package clause: its copyright notice, that it is generated.

Invariant: a package doc and a directive are no notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, nodes

_GENERATED = re.compile(rb"^// Code generated .* DO NOT EDIT\.\r?$", re.MULTILINE)
_WORDS = re.compile(r"copyright|spdx-license-identifier", re.IGNORECASE)


def is_generated(src: bytes) -> bool:
    """Whether a text says of itself that it is generated."""
    return _GENERATED.search(src) is not None


def find_notice(scope: Scope, paths: Iterable[str]) -> str:
    """The notice of the first hand-written one of some files, with the blank line below it.

    Lines end in `\\n`; "" where that file has none. As gopls does for declarations that it extracts
    to a new file.
    """
    for path in paths:
        src = scope.source(path)
        if not is_generated(src):
            return _notice_of(src, scope.tree(path).root_node)
    return ""


def _notice_of(src: bytes, root: Node) -> str:
    for first, last in _groups(root):
        text = src[first.start_byte : last.end_byte].decode().replace("\r", "")
        if _WORDS.search(text) and not docs.is_directive(text):
            return f"{text}\n\n"
    return ""


def _groups(root: Node) -> Iterator[tuple[Node, Node]]:
    """First and last comment of each group that a blank line parts from the package clause."""
    group: list[Node] = []
    for node in root.children:
        if group and node.start_point.row > group[-1].end_point.row + 1:
            yield group[0], group[-1]
            group = []
        if node.type != nodes.COMMENT:
            return
        group.append(node)
