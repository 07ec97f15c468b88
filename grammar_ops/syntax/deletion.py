"""Deletion: what goes with declarations, fields and interface methods that nothing refers to.

Invariant: what stays keeps its value, its place and its comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Finding, Reject
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import docs, groups, nodes, structs, uses
from grammar_ops.syntax.decls import Decl, list_decls
from grammar_ops.syntax.effects import find_effects
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.layout import removal_span

MEMBERS = ("field", "interface_method")


def list_methods(scope: Scope, pkg: str, owner: Decl) -> list[Decl]:
    """The methods of a type, in all files of its package."""
    package, found = scope.find_package(pkg), []
    for path, _ in package.files if package and owner.kind == "type" else ():
        src = scope.source(path)
        if owner.sym.encode() in src:
            decls = list_decls(scope.tree(path), src, path)
            found += [d for d in decls if d.sym.rpartition(".")[0] == owner.sym]
    return [d for d in found if d.kind == "method"]


def list_left(scope: Scope, pkg: str, decl: Decl, gone: Sequence[Decl]) -> list[Ref]:
    """The references that would be left behind; a method goes with its receiver's type."""
    if decl.kind == "method" and any(d.sym == decl.sym.split(".")[0] for d in gone):
        return []
    if decl.kind == "field":
        return structs.list_uses(scope, pkg, decl)
    return [
        ref
        for ref in uses.list_refs(scope, pkg, decl.sym)
        if ref.role not in uses.SILENT_ROLES | uses.DOC_ROLES
        and not any(ref.path == d.path and d.full_span.contains(ref.span) for d in gone)
    ]


def deletion_edits(scope: Scope, pkg: str, gone: Sequence[Decl]) -> list[Edit]:
    """The edits that take declarations and members out of their files."""
    edits: list[Edit] = []
    for decl in gone:
        if decl.kind == "field":
            edits += structs.removal_edits(scope, pkg, decl)
        elif decl.kind == "interface_method":
            src = scope.source(decl.path)
            own = decl.full_span if docs.begins_line(src, decl.span.start) else decl.span
            edits.append(Edit(decl.path, removal_span(src, own), b""))
    whole, parts = _split_shared([d for d in gone if d.kind not in MEMBERS])
    for path in sorted({decl.path for decl in whole}):
        src, mine = scope.source(path), [d for d in whole if d.path == path]
        for decl in mine:
            if decl.group is not None:
                inside = [d.node for d in mine if d.group and decl.group.span.contains(d.span)]
                groups.refuse_shift(src, decl.group, inside)
        edits += [Edit(path, span, b"") for span in groups.removal_spans(src, mine)]
    for names in parts:
        edits += _shared_edits(scope, names)
    return edits


def _split_shared(gone: Sequence[Decl]) -> tuple[list[Decl], list[list[Decl]]]:
    """Declarations that go whole, one for each spec, and the names that leave a spec."""
    specs: dict[tuple[str, int], list[Decl]] = {}
    for decl in gone:
        specs.setdefault((decl.path, decl.node.start_byte), []).append(decl)
    whole = [names[0] for names in specs.values() if len(names) == names[0].name_count]
    parts = [names for names in specs.values() if len(names) < names[0].name_count]
    return whole, parts


def _shared_edits(scope: Scope, gone: Sequence[Decl]) -> Iterator[Edit]:
    """Names out of a spec of several, with their values; blank where a value can't go."""
    decl, src = gone[0], scope.source(gone[0].path)
    names, value = nodes.name_nodes(decl.node), nodes.find_field(decl.node, "value")
    values = nodes.elements(value) if value is not None else []
    if decl.kind == "const" and (decl.group is not None or len(values) != len(names)):
        raise Reject("spec_multi_name", decl.sym)
    out = {d.name_span for d in gone}
    kept = [i for i, name in enumerate(names) if nodes.span_of(name) not in out]
    lost = [v for i, v in enumerate(values) if i not in kept]
    paired = len(values) == len(names) and not any(
        True for v in lost for _ in find_effects(scope, decl.path, v)
    )
    if values and not paired:
        yield from (Edit(decl.path, span, b"_") for span in sorted(out))
        return
    for listed in (names, values):
        if listed:
            text = b", ".join(nodes.text_of(src, listed[i]).encode() for i in kept)
            yield Edit(decl.path, Span(listed[0].start_byte, listed[-1].end_byte), text)


def list_effects(scope: Scope, gone: Sequence[Decl]) -> Iterator[Finding]:
    """What initialisers of deleted variables did when the program began, and nothing does then."""
    for decl in gone:
        value = nodes.find_field(decl.node, "value") if decl.kind == "var" else None
        for act in find_effects(scope, decl.path, value) if value is not None else ():
            src = scope.source(decl.path)
            told = f"{' '.join(nodes.text_of(src, act).split())[:60]} runs no more"
            yield replace(point_at(src, decl.path, act.start_byte, told), code="initialiser_gone")
