"""Leftovers: files that a move leaves without a declaration, which nobody would have written.

Invariant: what says something by itself stays: a package's doc, a comment of nobody, an import for
its effects, a directive; so does the last file of a package.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from grammar_ops.edit import Span
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.imports import list_imports
from grammar_ops.syntax.parcels import Parcel


def list_emptied(scope: Scope, parcels: Sequence[Parcel], landed: Collection[str]) -> list[str]:
    """The files that nothing is left in when the parcels go to the files `landed`."""
    paths = dict.fromkeys(parcel.path for parcel in parcels)
    return [
        path
        for path in paths
        if path not in landed
        and _is_bare(scope, path, [p.removal for p in parcels if p.path == path])
        and _has_others(scope, path, paths)
    ]


def _is_bare(scope: Scope, path: str, gone: Sequence[Span]) -> bool:
    """Whether a file without some spans is a head that says nothing: no more than a licence, build
    constraints, its package clause and imports."""
    src, tree = scope.source(path), scope.tree(path)
    if any(imp.name in ("_", ".") or imp.path == "C" for imp in list_imports(tree, src)):
        return False
    begun = False
    for node in tree.root_node.named_children:
        if node.type == nodes.PACKAGE_CLAUSE:
            begun = True
            if docs.doc_start(src, node) < node.start_byte:
                return False
        elif node.type == nodes.COMMENT and not begun:
            text = nodes.text_of(src, node)
            if docs.is_directive(text) and not text.startswith("//go:build "):
                return False
        elif node.type != nodes.IMPORT_DECL and not any(
            span.contains(nodes.span_of(node)) for span in gone
        ):
            return False
    return True


def _has_others(scope: Scope, path: str, paths: Collection[str]) -> bool:
    """Whether the package of a file has files beside those that the parcels come from."""
    pkg = scope.package_of(path)
    info = scope.find_package(pkg.removesuffix("_test")) if pkg else None
    found = [other for other, _ in info.files] if info else []
    return any(other not in paths and scope.package_of(other) == pkg for other in found)
