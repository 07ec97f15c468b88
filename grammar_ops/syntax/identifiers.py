"""Identifiers: what the name at a place means, and all mentions of one that has no address.

Invariant: the checker says what a name means; syntax only finds where names are declared.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.near import near_names
from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import Place, Ref, Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl, find_enclosing, find_named_at
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.imports import list_imports
from grammar_ops.syntax.mentions import find_token_at, list_declared, list_tokens

register(
    "grammar",
    {
        "local_not_found": "the function or file declares no local of that name",
        "ambiguous_local": "several names are declared there; send one of the positions as `sym`",
        "no_identifier_there": "no name stands at that position, or the checker knows none there",
    },
)

CLAUSE = "package_clause"


class Named(NamedTuple):
    """What an identifier means: by its address, or by where it stands when it has none."""

    path: str
    span: Span
    kind: str
    """An object's kind, `package` for an import's name, `package_clause`."""
    pkg: str = ""
    sym: str = ""
    embedded: bool = False


def resolve_at(scope: Scope, place: Place) -> Named:
    """What is named at a place: the identifier there, else what its line declares."""
    tree, src = scope.tree(place.path), scope.source(place.path)
    if place.exact:
        token = find_token_at(tree, place.at)
        if token is None and (spec := _import_at(scope, place)):
            return resolve_import(scope, place.path, spec)
        if token is None:
            at = point_at(src, place.path, place.at)
            raise Reject("no_identifier_there", f"{at.file}:{at.line}:{at.col}")
        return name_of(scope, place.path, token)
    if spec := _import_at(scope, place):
        return resolve_import(scope, place.path, spec)
    return name_of(scope, place.path, _on_line(scope, place))


def resolve_import(scope: Scope, path: str, name: str) -> Named:
    """The import that the code of a file calls `name`."""
    for token in list_tokens(scope.tree(path).root_node, scope.source(path), name):
        if not nodes.is_member_name(token):
            named = name_of(scope, path, token)
            if named.kind == "package":
                return named
    imports = list_imports(scope.tree(path), scope.source(path))
    near = near_names(name, {imp.name or imp.path.rpartition("/")[2]: None for imp in imports})
    raise Reject("local_not_found", f"{path} imports nothing as {name}", did_you_mean=tuple(near))


def _import_at(scope: Scope, place: Place) -> str:
    """What the code of a file calls the import that is written at a place, "" for none."""
    for imp in list_imports(scope.tree(place.path), scope.source(place.path)):
        if imp.span.start <= place.at < imp.span.end or imp.decl.start_byte == place.at:
            name = imp.name or scope.ask({"kind": "package", "path": imp.path}).get("name")
            return str(name or "")
    return ""


def _on_line(scope: Scope, place: Place) -> Node:
    """The declaration that begins on the line, else the one name that the line declares."""
    tree, src = scope.tree(place.path), scope.source(place.path)
    end = src.find(b"\n", place.at)
    line = Span(place.at, end if end >= 0 else len(src))
    clause = [n for n in tree.root_node.children if n.type == CLAUSE and line.start == n.start_byte]
    if clause:
        return nodes.elements(clause[0])[0]
    found = [n for n in list_declared(tree.root_node) if line.contains(nodes.span_of(n))]
    decl = find_enclosing(tree, src, place.at, place.path)
    if decl is not None and (not found or line.contains(decl.name_span)):
        token = find_token_at(tree, decl.name_span.start)
        found = [token] if token else found
    if len(found) == 1:
        return found[0]
    raise _no_single(scope, place.path, found, f"line of {place.path}")


def resolve_local(scope: Scope, path: str, within: Node, name: str) -> Named:
    """The one local called `name` that the code below a node declares."""
    src = scope.source(path)
    declared = list_declared(within)
    found = [n for n in declared if nodes.text_of(src, n) == name]
    named = [name_of(scope, path, node) for node in found]
    own = {n.span: node for n, node in zip(named, found, strict=True) if not n.sym}
    if len(own) == 1:
        return next(n for n in named if not n.sym)
    if own:
        raise _no_single(scope, path, list(own.values()), name)
    near = near_names(name, {nodes.text_of(src, n): None for n in declared})
    raise Reject("local_not_found", name, did_you_mean=tuple(near))


def name_of(scope: Scope, path: str, token: Node) -> Named:
    """What the checker says of the identifier `token`; a declared local stands where it is."""
    span = nodes.span_of(token)
    if token.parent is not None and token.parent.type == CLAUSE:
        return Named(path, span, CLAUSE, (scope.package_of(path) or "").removesuffix("_test"))
    answer = scope.ask({"kind": "object_at", "file": path, "offset": span.start})
    if "error" in answer:
        if decl := find_named_at(scope.tree(path), scope.source(path), span, path):
            return Named(path, span, decl.kind, scope.package_of(path) or "", decl.sym)
        raise Reject("no_identifier_there", f"{path}: {answer['error']}")
    kind, pkg, sym = (str(answer.get(key) or "") for key in ("kind", "pkg", "sym"))
    defined = answer.get("def")
    if not sym and kind != "package" and isinstance(defined, dict):
        at = int(str(defined["offset"]))
        span = Span(at, at + len(str(answer["name"]).encode()))
    return Named(path, span, kind, pkg, sym, bool(answer.get("embedded")))


def list_mentions(scope: Scope, named: Named) -> list[Ref]:
    """Every mention of an object without an address, its declaration included."""
    answer = scope.ask({"kind": "uses_of", "file": named.path, "offset": named.span.start})
    uses = answer.get("uses")
    return [_ref(use) for use in (uses if isinstance(uses, list) else []) if isinstance(use, dict)]


def enclosing_of(scope: Scope, named: Named) -> Decl | None:
    """The package-level declaration that a local is in; an import is in none."""
    if named.kind == "package":
        return None
    tree, src = scope.tree(named.path), scope.source(named.path)
    return find_enclosing(tree, src, named.span.start, named.path)


def _ref(use: dict[str, Json]) -> Ref:
    start, size = int(str(use["offset"])), int(str(use["len"]))
    return Ref(str(use["file"]), Span(start, start + size), str(use["role"]), "")


def _no_single(scope: Scope, path: str, found: list[Node], what: str) -> Reject:
    """The refusal of a place where several names are declared, or none."""
    src = scope.source(path)
    points = [point_at(src, path, n.start_byte, nodes.text_of(src, n)) for n in found]
    places = tuple(f"{p.file}:{p.line}:{p.col}" for p in points)
    return Reject("ambiguous_local", what, diagnostics=tuple(points), did_you_mean=places)
