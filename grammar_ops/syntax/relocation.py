"""Relocation: text goes to other files and packages, and every name in it and of it follows.

Invariant: what is carried keeps its bytes, but for the qualifiers, new names and line ends that its
new place asks for; all edits speak of the text as it is before the move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grammar_ops.edit import Edit, Span, apply_edits
from grammar_ops.op import Carried, ImportWish, Moved, Plan, Renamed
from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import uses
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.importing import NewImport, refuse_imports
from grammar_ops.syntax.keyed import key_edits, list_unkeyed
from grammar_ops.syntax.nodes import span_of
from grammar_ops.syntax.spelling import Speller, Use

register(
    "grammar",
    {
        "depends_on_local_symbols": "the text needs what its old package keeps, out of its reach",
        "unexported_used_elsewhere": "an unexported name would be used from another package",
        "known_to_directive": "a directive, assembly or C knows the declaration by its package",
    },
)


class Region(NamedTuple):
    """A run of text on its way: from a file of a package to a file of a (perhaps other) package."""

    path: str
    span: Span
    pkg: str
    target: str
    to_pkg: str


class Ident(NamedTuple):
    """An identifier of the text on its way, and what it refers to."""

    region: Region
    span: Span
    level: str
    kind: str
    pkg: str
    sym: str


class Member(NamedTuple):
    """A package-level declaration that goes: its address before, and its package afterwards."""

    pkg: str
    sym: str
    to_pkg: str


@dataclass(frozen=True)
class Relocation:
    """What moves, and how names are to be made visible."""

    scope: Scope
    regions: tuple[Region, ...]
    members: tuple[Member, ...]
    """Package-level declarations, methods left out."""
    homes: Mapping[str, str]
    package_names: Mapping[str, str]
    export: bool = False
    receivers: tuple[Edit, ...] = ()
    """Receivers that are written anew, so that what they named does not matter."""

    def refs(self) -> list[tuple[Member, Ref]]:
        """References to what moves, from outside of the text on its way."""
        out = []
        for member in (m for m in self.members if m.to_pkg != m.pkg):
            for ref in uses.list_refs(self.scope, member.pkg, member.sym):
                inside = any(r.path == ref.path and r.span.contains(ref.span) for r in self.regions)
                inside |= self._is_anew(ref.path, ref.span)
                if not inside and ref.role not in uses.SILENT_ROLES:
                    out.append((member, ref))
        return out

    def idents(self) -> list[Ident]:
        """The identifiers of the text on its way that refer to something."""
        found = [ident for region in self.regions for ident in list_idents(self.scope, region)]
        return [ident for ident in found if not self._is_anew(ident.region.path, ident.span)]

    def _is_anew(self, path: str, span: Span) -> bool:
        return any((edit.path, edit.span) == (path, span) for edit in self.receivers)

    def home_after(self, pkg: str, sym: str) -> str:
        """The package of an object after the move."""
        top = sym.partition(".")[0]
        return next((m.to_pkg for m in self.members if (m.pkg, m.sym) == (pkg, top)), pkg)


class Outcome(NamedTuple):
    """The edits of a relocation, before text is taken out and put in."""

    edits: tuple[Edit, ...]
    wishes: tuple[ImportWish, ...]
    renames: tuple[Renamed, ...]
    references: int


def list_idents(scope: Scope, region: Region) -> list[Ident]:
    """What the identifiers of a run of text refer to, as the checker sees it."""
    start, end = region.span
    answer = scope.ask({"kind": "idents_in", "file": region.path, "start": start, "end": end})
    rows = answer.get("idents")
    found = []
    for row in rows if isinstance(rows, list) else []:
        assert isinstance(row, dict)
        at, name = row["offset"], str(row["name"])
        assert isinstance(at, int)
        span = Span(at, at + len(name.encode()))
        kind, pkg, sym = str(row["kind"]), str(row["pkg"]), str(row["sym"])
        found.append(Ident(region, span, str(row["level"]), kind, pkg, sym))
    return found


def relocate(move: Relocation) -> Outcome:
    """Plan how every use is written afterwards; Reject what Go does not allow."""
    refs, idents = move.refs(), move.idents()
    _refuse_directives(move, refs, idents)
    renames = _exports(move, refs, idents)
    found = [*_uses_of(move, refs), *uses_in(move, idents)]
    speller = Speller(move.scope, move.homes, move.package_names)
    edits = [*move.receivers, *speller.spell(found)]
    _refuse_imports(move, speller)
    edits += [edit for renamed in renames for edit in rename_edits(move.scope, renamed)]
    # The name of a field stands before what is written in front of its value.
    edits = [*_keys(move, idents, {r.sym: r.to for r in renames}), *edits]
    code = sum(1 for _, ref in refs if ref.role not in uses.DOC_ROLES)
    return Outcome(tuple(dict.fromkeys(edits)), tuple(speller.wishes), renames, code)


def _keys(move: Relocation, idents: Iterable[Ident], renamed: Mapping[str, str]) -> list[Edit]:
    """Field names for the literals that come to stand in another package than their type."""
    types = {(i.pkg, i.sym) for i in idents if i.level == "package" and i.pkg == i.region.pkg}
    types |= {(m.pkg, m.sym) for m in move.members}
    edits = []
    for literal, struct in list_unkeyed(move.scope, types):
        span, pkg = span_of(literal.node), move.scope.package_of(literal.path) or ""
        inside = (r for r in move.regions if r.path == literal.path and r.span.contains(span))
        after = next((region.to_pkg for region in inside), pkg)
        if after.removesuffix("_test") != move.home_after(pkg, struct.decl.sym):
            edits += key_edits(literal, struct, renamed)
    return edits


def _uses_of(move: Relocation, refs: Iterable[tuple[Member, Ref]]) -> list[Use]:
    """References from outside to what changes its package."""
    out = []
    for member, ref in refs:
        reader = move.scope.package_of(ref.path) or ""
        # The first word of a doc comment is a name, never qualified.
        if member.to_pkg != member.pkg and ref.role != "doc_name":
            doc = ref.role in uses.DOC_ROLES
            out.append(Use(ref.path, ref.span, member.to_pkg, ref.path, reader, doc))
    return out


def uses_in(move: Relocation, idents: Iterable[Ident]) -> list[Use]:
    """References from the text on its way whose spelling its new place decides."""
    out = []
    own = {region.pkg for region in move.regions}
    for ident in idents:
        region = ident.region
        if "." in ident.sym or not ident.sym or ident.level not in ("package", "doc"):
            continue
        home = move.home_after(ident.pkg, ident.sym)
        moved = home != ident.pkg or region.to_pkg != region.pkg
        doc = ident.level == "doc"
        bare = home == region.to_pkg and ident.pkg == region.pkg
        if bare or (doc and not (moved and (ident.pkg in own or home == region.to_pkg))):
            continue
        out.append(Use(region.path, ident.span, home, region.target, region.to_pkg, doc))
    return out


def _refuse_directives(
    move: Relocation, refs: Sequence[tuple[Member, Ref]], idents: Sequence[Ident]
) -> None:
    """What a package's folder decides: cgo, assembly, linkname."""
    for ident in idents:
        if (ident.level, ident.pkg) == ("import", "C"):
            path = ident.region.path
            point = point_at(move.scope.source(path), path, ident.span.start)
            raise Reject("known_to_directive", "the text uses C", diagnostics=(point,))
    for member, ref in refs:
        if ref.role in ("directive", "asm") and member.to_pkg != member.pkg:
            raise uses.reject_at(move.scope, "known_to_directive", member.sym, [ref])
    for member in move.members:
        if member.to_pkg != member.pkg and uses.is_in_assembly(move.scope, member.pkg, member.sym):
            raise Reject("known_to_directive", member.sym)


def _exports(
    move: Relocation, refs: Sequence[tuple[Member, Ref]], idents: Sequence[Ident]
) -> tuple[Renamed, ...]:
    """Unexported names that the move parts from their uses: renamed on request, else refused."""
    apart = [
        ident for ident in idents
        if ident.level in ("package", "member") and ident.sym and not _travels(move, ident)
    ]  # fmt: skip
    hidden = [ident for ident in apart if _is_hidden(ident.sym)]
    tests = [ident for ident in apart if _is_in_test(move.scope, ident.pkg, ident.sym)]
    if tests or (hidden and not move.export):
        listed = [*hidden, *tests]
        raise _depends(move, ", ".join(sorted({ident.sym for ident in listed})), listed)
    needed = {(ident.pkg, ident.sym): list[Ref]() for ident in hidden}
    for member, ref in [*refs, *_member_refs(move)]:
        reader = move.scope.package_of(ref.path) or ""
        unseen = _is_hidden(member.sym) or _is_in_test(move.scope, member.pkg, member.sym)
        if unseen and ref.role not in uses.DOC_ROLES and reader != member.to_pkg:
            needed.setdefault((member.pkg, member.sym), []).append(ref)
    unfit = [key for key in needed if _is_in_test(move.scope, *key)]
    if unfit or (needed and not move.export):
        names = sorted({sym for _, sym in unfit or needed})
        first = [ref for key in unfit or needed for ref in needed[key]]
        refused = uses.reject_at(move.scope, "unexported_used_elsewhere", ", ".join(names), first)
        refused.facts["names"] = [*names]
        raise refused
    return tuple(_export(move, pkg, sym) for pkg, sym in sorted(needed))


def _is_in_test(scope: Scope, pkg: str, sym: str) -> bool:
    """Whether an object stands in a test file, which nothing else can import."""
    info = scope.find_object(pkg, sym)
    return info is not None and info.path.endswith("_test.go")


def _member_refs(move: Relocation) -> list[tuple[Member, Ref]]:
    """References from outside to the unexported members of types that change their package."""
    out = []
    for member in move.members:
        if member.to_pkg == member.pkg:
            continue
        for info in move.scope.related(member.pkg, member.sym, "members"):
            if _is_hidden(info.sym):
                hidden = Member(info.pkg, info.sym, member.to_pkg)
                out += Relocation(
                    move.scope, move.regions, (hidden,), move.homes, move.package_names
                ).refs()
    return out


def _is_hidden(sym: str) -> bool:
    name = sym.rpartition(".")[2]
    return bool(name) and not name[0].isupper()


def _export(move: Relocation, pkg: str, sym: str) -> Renamed:
    owner, dot, name = sym.rpartition(".")
    to = name[0].upper() + name[1:]
    home = move.home_after(pkg, sym)
    taken = not owner and any(move.scope.declares(p, to) for p in {pkg, home})
    if to == name or taken or (owner and move.scope.find_object(pkg, f"{owner}{dot}{to}")):
        raise Reject("unexported_used_elsewhere", f"{sym}: there is no free exported form of it")
    return Renamed(pkg, sym, to)


def rename_edits(scope: Scope, renamed: Renamed) -> list[Edit]:
    """One edit for each place where an object, or a field named by it, is written."""
    name = renamed.sym.rpartition(".")[2].encode()
    refs = uses.list_refs(scope, renamed.pkg, renamed.sym)
    for info in scope.related(renamed.pkg, renamed.sym, "embedded_fields"):
        refs += uses.list_refs(scope, info.pkg, info.sym)
    places = {(ref.path, ref.span) for ref in refs}
    written = [(p, s) for p, s in places if scope.source(p)[s.start : s.end] == name]
    return [Edit(path, span, renamed.to.encode()) for path, span in sorted(written)]


def _refuse_imports(move: Relocation, speller: Speller) -> None:
    """Reject what the new imports would close or may not see."""
    readers = {region.target: region.to_pkg for region in move.regions}
    news = set()
    for file, pkg, _ in speller.imported():
        reader = readers.get(file) or move.scope.package_of(file) or ""
        test = file.endswith("_test.go")
        if pkg not in move.scope.imports_of(reader) or test or _ends(move, reader, pkg):
            news.add(NewImport(reader, pkg, test))
    gone = {
        (region.pkg, region.to_pkg) for region in move.regions
        if _ends(move, region.pkg, region.to_pkg)
    } - {(new.pkg, new.imported) for new in news}  # fmt: skip
    own = {region.pkg for region in move.regions}
    back = {new for new in news if new.imported in own and new.pkg not in own}
    refuse_imports(move.scope, news - back, gone)
    try:
        refuse_imports(move.scope, news, gone)
    except Reject as refused:
        kept = [
            ident for ident in move.idents()
            if ident.level == "package" and ident.pkg in own and not _travels(move, ident)
        ]  # fmt: skip
        detail = f"{', '.join(sorted({i.sym for i in kept}))}: {refused.detail}"
        raise _depends(move, detail, kept) from None


def _travels(move: Relocation, ident: Ident) -> bool:
    return move.home_after(ident.pkg, ident.sym) == ident.region.to_pkg


def _depends(move: Relocation, detail: str, idents: Sequence[Ident]) -> Reject:
    """The refusal of a text that needs what stays behind."""
    refs = [Ref(ident.region.path, ident.span, "read", "") for ident in idents]
    refused = uses.reject_at(move.scope, "depends_on_local_symbols", detail, refs)
    names: list[Json] = [*sorted({ident.sym for ident in idents})]
    refused.facts["names"] = names
    return refused


def _ends(move: Relocation, pkg: str, imported: str) -> bool:
    """Whether only text on its way uses what `pkg` imports as `imported`."""
    info = move.scope.find_package(pkg)
    for path, role in info.files if info else ():
        if role not in ("go", "cgo"):
            continue
        src = move.scope.source(path)
        if f'"{imported}"'.encode() not in src:
            continue
        cuts = [Edit(path, r.span, b"") for r in move.regions if r.path == path]
        rest = apply_edits(src, cuts)
        name = Speller(move.scope, {}).name_of(imported).encode()
        if not cuts or (name + b".") in rest:
            return False
    return True


class Arrival(NamedTuple):
    """What is to be put into one file: the text before each run, and the runs, in order."""

    path: str
    at: int
    runs: tuple[tuple[bytes, Region], ...]
    tail: bytes


def assemble(
    move: Relocation, outcome: Outcome, removals: Sequence[Edit], arrivals: Sequence[Arrival]
) -> Plan:
    """The plan that takes the regions out, puts them in and edits what stays."""
    outside = [
        edit for edit in outcome.edits
        if not any(r.path == edit.path and r.span.contains(edit.span) for r in move.regions)
    ]  # fmt: skip
    edits, carried = [*removals, *outside], []
    for arrival in arrivals:
        text = b""
        for lead, region in arrival.runs:
            text += lead
            own = [e for e in outcome.edits if e.path == region.path]
            own = [e for e in own if region.span.contains(e.span)]
            run, kept = carry(move.scope.source(region.path), region.span, own)
            carried += [Carried(len(edits), len(text) + at, region.path, s) for at, s in kept]
            text += run
        edits.append(Edit(arrival.path, Span(arrival.at, arrival.at), text + arrival.tail))
    moves = {m for m in move.members if m.pkg != m.to_pkg}
    return Plan(
        edits=tuple(edits),
        renames=outcome.renames,
        moves=tuple(Moved(*member) for member in sorted(moves)),
        carried=tuple(carried),
        imports=outcome.wishes,
    )


def carry(src: bytes, span: Span, edits: Sequence[Edit]) -> tuple[bytes, list[tuple[int, Span]]]:
    """A run of text with its edits made, and where its surviving pieces stand in the result."""
    text, kept, at = b"", [], span.start
    for edit in sorted(edits, key=lambda e: (e.span.start, e.span.end)):
        if edit.span.start > at:
            kept.append((len(text), Span(at, edit.span.start)))
        text += src[at : edit.span.start] + (edit.text or b"")
        at = edit.span.end
    if at < span.end:
        kept.append((len(text), Span(at, span.end)))
    return text + src[at : span.end], kept
