"""Renaming: the edits for a declaration with all that is named by it, for a local, for an import.

Invariant: what the new name would capture is the proofs' to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Notes, Renamed
from grammar_ops.reject import Reject
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import examples, nodes, uses
from grammar_ops.syntax.decls import Decl, find_package_name
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.fragment import is_identifier
from grammar_ops.syntax.identifiers import Named, list_mentions
from grammar_ops.syntax.imports import Import, list_imports
from grammar_ops.syntax.names import run_kind

NOWHERE = Span(0, 0)


class Changes(NamedTuple):
    """The edits of one rename, the map that the proofs expect, and figures for the answer."""

    edits: tuple[Edit, ...]
    renames: tuple[Renamed, ...]
    notes: Notes


def object_changes(scope: Scope, decl: Decl, taken: Sequence[tuple[str, str]], to: str) -> Changes:
    """All that is written of the declarations `taken`, of which `decl` is the first, and of what
    is named after them: fields that embed a type, examples."""
    (pkg, sym), *tied = taken
    renames = [Renamed(*address, to) for address in taken]
    refs = list_own(scope, pkg, decl)
    for address in tied:
        refs += uses.list_refs(scope, *address)
    if decl.kind in ("type", "alias"):
        for field in scope.related(pkg, sym, "embedded_fields"):
            if field.sym.rpartition(".")[2] == decl.name:
                renames.append(Renamed(field.pkg, field.sym, to))
                refs += uses.list_refs(scope, field.pkg, field.sym)
    written = written_refs(scope, refs, decl.name)
    edits = [Edit(ref.path, ref.span, to.encode()) for ref in written]
    for of, name in taken:
        for example in examples.list_examples(scope, of, name, to):
            renames.append(Renamed(example.pkg, example.decl.sym, example.to))
            shown = list_own(scope, example.pkg, example.decl)
            edits += [
                Edit(ref.path, ref.span, example.to.encode())
                for ref in written_refs(scope, shown, example.decl.name)
            ]
    notes = Notes(references=len([ref for ref in written if ref.role not in uses.DOC_ROLES]))
    if generated := uses.list_generated(written):
        notes["generated"] = generated
    return Changes(tuple(edits), tuple(renames), notes)


def refuse_run_change(scope: Scope, decl: Decl, to: str) -> None:
    """Reject(runs_by_name) a function's name that changes what the go command runs."""
    if decl.kind != "func":
        return
    package = find_package_name(scope.tree(decl.path), scope.source(decl.path))
    place = decl.path.endswith("_test.go"), package == "main"
    if run_kind(decl.name, *place) != run_kind(to, *place):
        raise Reject("runs_by_name", f"{decl.name} to {to}")


def list_own(scope: Scope, pkg: str, decl: Decl) -> list[Ref]:
    """The references to a declaration, its own identifier among them."""
    own = Ref(decl.path, decl.name_span, "def", "")
    refs = uses.list_refs(scope, pkg, decl.sym)
    return refs if any(r[:2] == own[:2] for r in refs) else [own, *refs]


def written_refs(scope: Scope, refs: list[Ref], name: str) -> list[Ref]:
    """One reference for each place where the name is written (an embedded field has two)."""
    by_place = {(ref.path, ref.span): ref for ref in refs}
    return [
        ref
        for (path, span), ref in sorted(by_place.items())
        if scope.source(path)[span.start : span.end] == name.encode()
    ]


def local_edits(scope: Scope, named: Named, to: str) -> list[Edit]:
    """The edits that call a local `to`, one for each of its mentions."""
    src, refs = scope.source(named.path), list_mentions(scope, named)
    old = _text(src, named.span)
    if named.kind == "func":  # init: nothing refers to it, and the go command runs it
        raise Reject("runs_by_name", f"{old} to {to}")
    check_local_name(old, to, refs)
    edits = [
        Edit(ref.path, ref.span, to.encode())
        for ref in refs
        if src[ref.span.start : ref.span.end] == old.encode()
    ]
    if named.kind == "package":
        edits = [edit for edit in edits if not _is_in_spec(scope, edit)]
        edits += _spec_edits(scope, named, old, to)
        edits += link_edits(scope, named.path, old, to)
    return edits


def check_local_name(old: str, to: str, refs: list[Ref]) -> None:
    """Reject a new name that changes nothing or that the mentions of the local could not use."""
    if not is_identifier(to):
        raise Reject("bad_new_name", f"{to} is no Go identifier")
    if to == old:
        raise Reject("already_named", f"{old} is called {to}")
    if to == "_" and any(ref.role != "def" for ref in refs):
        raise Reject("bad_new_name", f"{old} is used: nothing can refer to _")


def key_of(scope: Scope, named: Named) -> str:
    """The name of a local in the map of renames: its place and its name, with a leading dot."""
    at = point_at(scope.source(named.path), named.path, named.span.start)
    old = _text(scope.source(named.path), named.span)
    return f".{at.file}:{at.line}:{at.col}.{old}"


def _is_called(path: str, name: str) -> bool:
    """Whether an import path reads as a package of that name: its last element, no version."""
    parts = [part for part in path.split("/") if not re.fullmatch(r"v\d+", part)]
    return bool(parts) and parts[-1] == name


def _spec_of(scope: Scope, named: Named) -> Import:
    imports = list_imports(scope.tree(named.path), scope.source(named.path))
    around = [imp for imp in imports if imp.span.contains(named.span)]
    if around:
        return around[0]
    old = _text(scope.source(named.path), named.span)
    return next(
        imp for imp in imports if imp.name == old or (not imp.name and imp.path == named.pkg)
    )


def _spec_edits(scope: Scope, named: Named, old: str, to: str) -> list[Edit]:
    """The edit of the import itself; an alias that says what the path says is left out."""
    spec = _spec_of(scope, named)
    path = nodes.find_field(spec.node, "path")
    assert path is not None
    at = spec.node.start_byte
    own = _package_name(scope, spec.path) if spec.name else old
    alias = "" if to == own and _is_called(spec.path, to) else f"{to} "
    return [Edit(named.path, Span(at, path.start_byte), alias.encode())]


def _package_name(scope: Scope, path: str) -> str:
    return str(scope.ask({"kind": "package", "path": path}).get("name") or "")


def _is_in_spec(scope: Scope, edit: Edit) -> bool:
    imports = list_imports(scope.tree(edit.path), scope.source(edit.path))
    return any(imp.span.contains(edit.span) for imp in imports)


def link_edits(scope: Scope, path: str, old: str, to: str) -> Iterator[Edit]:
    """Doc links of the file that go through the import's name."""
    src = scope.source(path)
    link = re.compile(rb"\[\*?(" + re.escape(old.encode()) + rb")(?=\.\w[\w.]*\]|\](?![(\[:]))")
    for node in nodes.descendants(scope.tree(path).root_node):
        if node.type == nodes.COMMENT:
            for found in link.finditer(src, node.start_byte, node.end_byte):
                yield Edit(path, Span(*found.span(1)), to.encode())


def _text(src: bytes, span: Span) -> str:
    return src[span.start : span.end].decode()
