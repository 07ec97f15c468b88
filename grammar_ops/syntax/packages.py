"""Renaming a package: its clauses, its doc, and the qualifiers of the files that import it.

Invariant: an importer that gives the package a name of its own is left alone, and one in which the
new name means something else gives it the old; the folder and the import path stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Reject
from grammar_ops.scope import PackageInfo, Ref, Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import find_package_name
from grammar_ops.syntax.fragment import is_identifier
from grammar_ops.syntax.identifiers import list_mentions, resolve_import
from grammar_ops.syntax.imports import list_imports, set_alias
from grammar_ops.syntax.mentions import list_tokens
from grammar_ops.syntax.renaming import link_edits
from grammar_ops.syntax.typefacts import find_visible
from grammar_ops.syntax.uses import check_inside


def package_edits(scope: Scope, info: PackageInfo, to: str) -> list[Edit]:
    """The edits that call a package `to`."""
    check_package_name(info.name, to)
    edits: list[Edit] = []
    for path, _ in info.files:
        edits += _clause_edits(scope, path, info.name, to)
    refs = check_inside(scope, scope.refs(info.pkg, ""))
    for path in sorted({ref.path for ref in refs}):
        outside = [ref for ref in refs if ref.path == path and ref.role == "read"]
        edits += _importer_edits(scope, path, info, to, outside)
    return edits


def check_package_name(old: str, to: str) -> None:
    """Reject a name that a package can't have, or that makes it another kind of package."""
    if to == old:
        raise Reject("already_named", f"the package is called {to}")
    if not is_identifier(to) or to == "_" or to.endswith("_test"):
        raise Reject("bad_new_name", f"no package can be called {to}")
    if "main" in (old, to):
        raise Reject("runs_by_name", f"package {old} to {to}")


def _clause_edits(scope: Scope, path: str, old: str, to: str) -> Iterator[Edit]:
    """The name in a file's clause and in the package doc above it."""
    tree, src = scope.tree(path), scope.source(path)
    suffix = find_package_name(tree, src).removeprefix(old)
    clause = nodes.find_clause(tree)
    if clause is None or suffix not in ("", "_test"):
        return
    name = nodes.span_of(nodes.elements(clause)[0])
    if src[name.start : name.end].decode() != old + suffix:
        return
    yield Edit(path, name, f"{to}{suffix}".encode())
    yield from doc_edits(path, src, Span(0, name.start), old, to)


def doc_edits(path: str, src: bytes, above: Span, old: str, to: str) -> Iterator[Edit]:
    """The name that a package doc begins with."""
    doc = re.compile(rb"^(?://|/\*)\s*Package (" + old.encode() + rb")\b", re.MULTILINE)
    for found in doc.finditer(src, above.start, above.end):
        yield Edit(path, Span(*found.span(1)), to.encode())


def _importer_edits(
    scope: Scope, path: str, info: PackageInfo, to: str, outside: Sequence[Ref]
) -> Iterator[Edit]:
    """The qualifiers in a file that imports the package without a name of its own, or the old name
    as one where the new means something else; `outside` are the mentions that syntax tells of where
    no build has the file."""
    tree, src = scope.tree(path), scope.source(path)
    spec = next((i for i in list_imports(tree, src) if i.path == info.pkg and not i.name), None)
    if spec is None:
        return
    mentions = [
        ref.span
        for ref in outside or list_mentions(scope, resolve_import(scope, path, info.name))
        if src[ref.span.start : ref.span.end] == info.name.encode()
    ]
    if _is_taken(scope, path, mentions, to, built=not outside):
        yield set_alias(path, spec, info.name)
        return
    for span in mentions:
        yield Edit(path, span, to.encode())
    yield from link_edits(scope, path, info.name, to)


def _is_taken(scope: Scope, path: str, mentions: Sequence[Span], to: str, *, built: bool) -> bool:
    """Whether a name means something at one of the places already."""
    tokens = list_tokens(scope.tree(path).root_node, scope.source(path), to)
    written = any(not nodes.is_member_name(token) for token in tokens)
    if not (written or scope.declares(scope.package_of(path) or "", to)):
        return False
    return not built or any(find_visible(scope, path, span.start, to) for span in mentions)
