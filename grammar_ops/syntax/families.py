"""Families of methods: what interfaces tie to a method, and the refusals to tear it apart.

Invariant: a family that reaches out of the workspace can't be renamed at all.
"""

from __future__ import annotations

from grammar_ops.reject import Finding, Reject, register
from grammar_ops.scope import ObjectInfo, Scope
from grammar_ops.syntax.decls import Decl, find_decl, find_method_at
from grammar_ops.syntax.findings import point_at

register(
    "grammar",
    {
        "method_set_split": "methods that an interface ties together change together",
        "method_set_open": "an interface or type outside the workspace needs the method as it is",
    },
)


def list_tied(scope: Scope, pkg: str, decl: Decl) -> list[ObjectInfo]:
    """The other methods that have to go by the same name as this one; Reject(method_set_open).

    What could satisfy an interface of the workspace, but is nowhere used as one, ties an
    interface's method and not a type's own.
    """
    if decl.kind not in ("method", "interface_method"):
        return []
    family = scope.family(pkg, decl.sym)
    others = [m for m in family.members if (m.pkg, m.sym) != (pkg, decl.sym)]
    if family.outside:
        at = point_at(scope.source(decl.path), decl.path, decl.name_span.start, "is tied to these")
        raise Reject("method_set_open", ", ".join(family.outside), diagnostics=(at,))
    return others if family.tied or decl.kind == "interface_method" else []


def resolve_member(scope: Scope, info: ObjectInfo) -> Decl:
    """The declaration of a member, in its file: another build may declare it elsewhere."""
    tree, src = scope.tree(info.path), scope.source(info.path)
    found = find_decl(tree, src, info.sym, info.path)
    if is_unnamed(info):
        found = find_method_at(tree, src, info.sym, info.name_span, info.path)
    return found if found is not None else scope.resolve_decl(info.pkg, info.sym)


def is_unnamed(info: ObjectInfo) -> bool:
    """Whether a method is of an interface that has no name and no address, as in a body."""
    return not info.pkg


def list_twins(scope: Scope, pkg: str, decl: Decl) -> list[Decl]:
    """The declarations that stand for this one in other files, where the build is another."""
    paths = {r.path for r in scope.refs(pkg, decl.sym) if r.role == "def" and r.path != decl.path}
    found = (find_decl(scope.tree(p), scope.source(p), decl.sym, p) for p in sorted(paths))
    return [twin for twin in found if twin is not None and twin.kind == decl.kind]


def refuse_split(scope: Scope, pkg: str, decl: Decl, others: list[ObjectInfo]) -> Reject:
    """The refusal that lists a family by position."""
    own = point_at(scope.source(decl.path), decl.path, decl.name_span.start, f"{pkg}.{decl.sym}")
    return Reject(
        "method_set_split",
        f"{decl.sym} is one of {len(others) + 1} methods tied by interfaces",
        diagnostics=(own, *(_point(scope, info) for info in others)),
    )


def _point(scope: Scope, info: ObjectInfo) -> Finding:
    at = info.name_span.start
    return point_at(scope.source(info.path), info.path, at, f"{info.pkg}.{info.sym}")
