"""A file on its way: the builds that its name decides, its package clause, what it declares.

Invariant: a file stays in the builds that it is in, and among the tests or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Finding, Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.constraints import find_suffix
from grammar_ops.syntax.decls import list_decls
from grammar_ops.syntax.destination import find_destination
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.imports import list_imports
from grammar_ops.syntax.moving import renewed
from grammar_ops.syntax.packages import doc_edits
from grammar_ops.syntax.parcels import list_package
from grammar_ops.syntax.receivers import list_aliases, owner_of
from grammar_ops.syntax.relocation import Member, Region, Relocation

_TEST = "_test.go"
_BOUND = ((b"//go:embed ", "embeds_files"), (b"//go:linkname ", "known_to_directive"))


def refuse_build(path: str, to: str) -> None:
    """Reject a new name that go build reads something else from."""
    if not (path.endswith(".go") and to.endswith(".go")):
        raise Reject("build_changes", f"{path} and {to} must both be Go files")
    name = to.rpartition("/")[2]
    hidden = name.startswith(("_", "."))
    tests = path.endswith("_test.go") != to.endswith("_test.go")
    if tests or hidden or find_suffix(path) != find_suffix(to):
        raise Reject("build_changes", f"{path} to {to}")


def relocation_of_file(
    scope: Scope, path: str, to: str, *, create: bool, export: bool
) -> tuple[Relocation, tuple[Edit, ...]]:
    """The whole file as one region, its declarations, and the edit of its package clause."""
    src, tree = scope.source(path), scope.tree(path)
    pkg = scope.package_of(path)
    if pkg is None:
        raise Reject("file_not_found", f"{path} is in no package")
    outer = pkg.endswith("_test") and path.endswith("_test.go")
    to_pkg, names = pkg, dict[str, str]()
    clause: tuple[Edit, ...] = ()
    if path.rpartition("/")[0] != to.rpartition("/")[0]:
        for mark, reason in _BOUND:
            if mark in src:
                raise Reject(reason, path, diagnostics=(point_at(src, path, src.index(mark)),))
        folder = to.rpartition("/")[0] or "."
        home = find_destination(scope, pkg, f"./{folder}", create=create)
        to_pkg = f"{home.pkg}_test" if outer else home.pkg
        names = {home.pkg: home.name} if home.new else {}
        clause = _clause_edit(scope, path, f"{home.name}_test" if outer else home.name)
    region = Region(path, Span(0, len(src)), pkg, to, to_pkg)
    skipped = ("init", "_", "main")
    members = tuple(
        Member(pkg, d.sym, to_pkg)
        for d in list_decls(tree, src, path)
        if d.kind != "method" and d.sym not in skipped
    )
    move = Relocation(scope, (region,), members, {to: path}, names, export, renewed(scope, members))
    return move, clause


def _clause_edit(scope: Scope, path: str, name: str) -> tuple[Edit, ...]:
    src = scope.source(path)
    clause = nodes.find_clause(scope.tree(path))
    assert clause is not None
    span = nodes.span_of(nodes.elements(clause)[0])
    old = src[span.start : span.end].decode()
    if old == name:
        return ()
    return Edit(path, span, name.encode()), *doc_edits(path, src, Span(0, span.start), old, name)


def refuse_split(scope: Scope, move: Relocation) -> None:
    """Reject a file that leaves methods of its types, or types of its methods, behind."""
    region = move.regions[0]
    if region.pkg == region.to_pkg:
        return
    types = {member.sym for member in move.members}
    known = list_package(scope, region.pkg)
    aliases = list_aliases(scope, known)
    for decl in known:
        owned = decl.kind == "method" and owner_of(decl, aliases) in types
        if decl.kind == "method" and (decl.path == region.path) != owned:
            point = point_at(scope.source(decl.path), decl.path, decl.name_span.start)
            raise Reject("file_splits_type", decl.sym, diagnostics=(point,))


def list_effects(scope: Scope, move: Relocation) -> Iterator[Finding]:
    """Imports for their effects that leave a package with its file: programs that do not use the
    new package do without."""
    region = move.regions[0]
    if region.pkg == region.to_pkg:
        return
    src, tree = scope.source(region.path), scope.tree(region.path)
    info = scope.find_package(region.pkg.removesuffix("_test"))
    others = [path for path, _ in info.files] if info else []
    stay = {
        imp.path
        for path in others
        if path != region.path and (not path.endswith(_TEST) or region.path.endswith(_TEST))
        for imp in list_imports(scope.tree(path), scope.source(path))
    }
    for imp in list_imports(tree, src):
        if imp.name == "_" and imp.path not in stay:
            told = f"{region.pkg} imported {imp.path} for its effects, now {region.to_pkg} does"
            yield replace(point_at(src, region.target, imp.span.start, told), code="effects_moved")
