"""A Go file as a row of items: its head, its imports, its declarations, and what is between them.

An item is a whole top-level declaration, a group with all of its members, known by the names that
it declares; the gap before it holds blank lines and comments that belong to no declaration.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.decls import Decl, list_decls
from grammar_ops.syntax.parse import find_errors, parse


@dataclass(frozen=True)
class Item:
    """One top-level declaration: its key, its members, its text with doc and trailing comment."""

    key: str
    """The first name; a repeated one (`init`, `_`) with its number."""
    kind: str
    syms: tuple[str, ...]
    text: str
    code: str
    """The text without the doc above it."""
    gap: str
    """What stands between the item before and this one."""
    decls: tuple[Decl, ...]

    @property
    def doc(self) -> str:
        """The comment lines above the declaration."""
        return self.text[: len(self.text) - len(self.code)]


@dataclass(frozen=True)
class GoFile:
    """A parsed file: `head` ends with the package clause or the last import."""

    src: bytes
    clause: str
    """All up to the package clause."""
    imports: str
    package: str
    items: tuple[Item, ...]
    tail: str

    def find(self, key: str) -> Item | None:
        """The item of a key."""
        return next((item for item in self.items if item.key == key), None)


def read_file(src: bytes) -> GoFile | None:
    """The items of a Go source; None where the grammar can't read it."""
    tree = parse(src)
    if any(True for _ in find_errors(tree.root_node)):
        return None
    decls = list_decls(tree, src)
    clause_end, head_end, package = 0, 0, ""
    items: list[Item] = []
    seen: Counter[str] = Counter()
    at = 0
    for node in tree.root_node.children:
        if node.type == nodes.PACKAGE_CLAUSE:
            clause_end = head_end = at = docs.trailing_end(src, node)
            package = nodes.text_of(src, nodes.elements(node)[0])
        elif node.type == nodes.IMPORT_DECL:
            head_end = at = docs.trailing_end(src, node)
        elif node.type in nodes.FUNC_DECLS or node.type in nodes.SPEC_DECLS:
            inside = [d for d in decls if node.start_byte <= d.span.start < node.end_byte]
            start, end = docs.doc_start(src, node), docs.trailing_end(src, node)
            name = inside[0].sym if inside else "()"
            seen[name] += 1
            key = name if seen[name] == 1 else f"{name}#{seen[name]}"
            kind = nodes.SPEC_DECLS.get(node.type, "func")
            items.append(
                Item(
                    key, kind, tuple(d.sym for d in inside), src[start:end].decode(),
                    src[node.start_byte : end].decode(), src[at:start].decode(), tuple(inside),
                )
            )  # fmt: skip
            at = end
    clause, imports = src[:clause_end].decode(), src[clause_end:head_end].decode()
    return GoFile(src, clause, imports, package, tuple(items), src[at:].decode())
