"""Parcels: the runs of a file's text that a move takes along, each a whole declaration.

Invariant: a comment goes with the declaration that it touches; one with a blank line below stays.
Invariant: iota and repeated expressions move with their whole group, or written out, or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import groups, nodes
from grammar_ops.syntax.decls import Decl, Group, list_decls
from grammar_ops.syntax.layout import removal_span
from grammar_ops.syntax.names import run_kind
from grammar_ops.syntax.receivers import list_aliases, owner_of

register(
    "grammar",
    {"move_top_level_only": "a field or method goes where its type goes; only the type can move"},
)


@dataclass(frozen=True)
class Parcel:
    """One declaration, or a whole group, on its way: what goes and how it begins elsewhere."""

    path: str
    pkg: str
    """Its package, `p_test` for an external test."""
    span: Span
    removal: Span
    decls: tuple[Decl, ...]
    keyword: str = ""
    """What a member of a group needs before it when it stands alone."""

    @property
    def is_run(self) -> bool:
        """Whether go test runs one of its functions, so that it belongs to a test file."""
        test = self.path.endswith("_test.go")
        return any(d.kind == "func" and run_kind(d.name, test, False) for d in self.decls)


def list_package(scope: Scope, pkg: str) -> list[Decl]:
    """The package-level declarations of all files of a package, external tests left out."""
    info = scope.find_package(pkg.removesuffix("_test"))
    paths = [path for path, _ in info.files] if info else []
    mine = [path for path in paths if scope.package_of(path) == pkg]
    return [d for path in mine for d in list_decls(scope.tree(path), scope.source(path), path)]


def with_methods(scope: Scope, decls: Iterable[Decl], known: Sequence[Decl]) -> list[Decl]:
    """Declarations and, behind each type, its methods among `known`; each once."""
    out: dict[tuple[str, Span, str], Decl] = {}
    aliases = list_aliases(scope, known)
    for decl in decls:
        methods = [d for d in known if d.kind == "method" and owner_of(d, aliases) == decl.sym]
        for each in (decl, *(methods if decl.kind == "type" else ())):
            out.setdefault((each.path, each.name_span, each.sym), each)
    return list(out.values())


def pack(scope: Scope, pkg: str, movers: Sequence[Decl], *, parts: bool = False) -> list[Parcel]:
    """The parcels of declarations of one package, by file and place; Reject where a shared spec
    can't be taken apart, or a group, unless values are to be written out for its `parts`."""
    found = {}
    for decl in movers:
        if decl.kind in ("field", "interface_method"):
            raise Reject("move_top_level_only", decl.sym)
        mates = [d for d in movers if d.path == decl.path]
        parcel = _pack_one(scope, pkg, decl, mates, parts=parts)
        found[parcel.path, parcel.span] = parcel
    return [found[key] for key in sorted(found)]


def _pack_one(scope: Scope, pkg: str, decl: Decl, mates: Sequence[Decl], *, parts: bool) -> Parcel:
    src, group = scope.source(decl.path), decl.group
    shared = [d for d in mates if d.node == decl.node]
    if len(shared) < decl.name_count:
        names = [nodes.text_of(src, name) for name in nodes.name_nodes(decl.node)]
        raise Reject("spec_multi_name", decl.sym, facts={"together": [*names]})
    inside = [d for d in mates if d.group and group and d.group.span == group.span]
    if group is None:
        removal = groups.removal_spans(src, [decl])[0]
        return Parcel(decl.path, pkg, decl.full_span, removal, tuple(shared))
    if len({d.node.start_byte for d in inside}) == len(_named(src, group)):
        return Parcel(
            decl.path, pkg, group.full_span, removal_span(src, group.full_span), tuple(inside)
        )
    if not parts:
        _refuse_part(src, decl, inside)
    removal = groups.removal_spans(src, [decl])[0]
    return Parcel(decl.path, pkg, decl.full_span, removal, tuple(shared), f"{group.keyword} ")


def _named(src: bytes, group: Group) -> list[Node]:
    """The specs of a group that declare more than `_`."""
    return [
        spec for spec in group.specs
        if any(nodes.text_of(src, name) != "_" for name in nodes.name_nodes(spec))
    ]  # fmt: skip


def _refuse_part(src: bytes, decl: Decl, inside: Sequence[Decl]) -> None:
    """Reject a member whose value, or whose followers' values, hang on its place in the group."""
    group = decl.group
    if group is None or group.keyword != "const":
        return
    names = [nodes.text_of(src, n) for spec in group.specs for n in nodes.name_nodes(spec)]
    together = [name for name in names if name != "_"]
    try:
        groups.refuse_shift(src, group, [d.node for d in inside])
    except Reject as refused:
        refused.facts["together"] = [*together]
        raise
    if nodes.find_field(decl.node, "value") is None:
        raise Reject("spec_inherits_value", decl.sym, facts={"together": [*together]})
    if nodes.uses_iota(decl.node):
        raise Reject("spec_uses_iota", decl.sym, facts={"together": [*together]})
