"""Sealed interfaces: an unexported method counts in its own package alone.

Invariant: a type that leaves the package of an interface with such a method satisfies it no more,
although a type assertion that finds that out still compiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.parcels import Parcel


class _Asked(NamedTuple):
    """The unexported methods that an interface of a package lists, and where."""

    path: str
    node: Node
    names: frozenset[str]


def refuse_parted(scope: Scope, parcels: Sequence[Parcel], to_pkg: str) -> None:
    """Reject types that would leave an interface behind which only their package can satisfy."""
    for pkg in sorted({p.pkg for p in parcels} - {to_pkg}):
        going = [p for p in parcels if p.pkg == pkg]
        methods: dict[str, set[str]] = {}
        for decl in (d for p in going for d in p.decls if d.kind == "method"):
            methods.setdefault(decl.sym.rpartition(".")[0], set()).add(decl.name)
        if all(name[0].isupper() for names in methods.values() for name in names):
            continue
        for asked in _list_asked(scope, pkg, going):
            _refuse(scope, asked, methods)


def _refuse(scope: Scope, asked: _Asked, methods: dict[str, set[str]]) -> None:
    for owner, names in sorted(methods.items()):
        if asked.names <= names:
            src = scope.source(asked.path)
            point = point_at(src, asked.path, asked.node.start_byte, "an interface that stays")
            lost = ", ".join(f"{owner}.{name}" for name in sorted(asked.names))
            raise Reject("unexported_used_elsewhere", lost, diagnostics=(point,))


def _list_asked(scope: Scope, pkg: str, going: Sequence[Parcel]) -> Iterator[_Asked]:
    info = scope.find_package(pkg.removesuffix("_test"))
    for path in [p for p, _ in info.files if scope.package_of(p) == pkg] if info else []:
        src = scope.source(path)
        moved = [p.span for p in going if p.path == path]
        for node in nodes.descendants(scope.tree(path).root_node):
            if node.type != "interface_type" or _is_inside(node, moved):
                continue
            listed = [n for n in nodes.elements(node) if nodes.is_interface_method(n)]
            names = {nodes.text_of(src, nodes.elements(n)[0]) for n in listed}
            hidden = frozenset(name for name in names if not name[0].isupper())
            if hidden:
                yield _Asked(path, node, hidden)


def _is_inside(node: Node, spans: Sequence[Span]) -> bool:
    return any(span.contains(nodes.span_of(node)) for span in spans)
