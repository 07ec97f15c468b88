"""Moving declarations: parcels of packages, the files they land in, and the plan of it all.

Invariant: what already stands where it is to go stays; a directive that speaks of a folder does not
leave the folder.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.op import ImportWish, Plan
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.destination import Destination, Landing, find_landing, named_landing
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.imports import drop_import, list_imports
from grammar_ops.syntax.leftovers import list_emptied
from grammar_ops.syntax.parcels import Parcel, list_package
from grammar_ops.syntax.receivers import list_aliases, receiver_edits
from grammar_ops.syntax.relocation import Arrival, Member, Outcome, Region, Relocation, assemble
from grammar_ops.syntax.spots import Spot

register(
    "grammar",
    {
        "already_in_package": "the declarations stand in that package already",
        "embeds_files": "go:embed names files of the folder, which stay behind",
    },
)

_EMBED = b"//go:embed"
_NEEDS = {_EMBED: "embed", b"//go:linkname": "unsafe"}
"""The package that a file with the directive has to import, be it by `_`."""


def refuse_bound(scope: Scope, parcels: Sequence[Parcel], to: Destination) -> None:
    """Reject what the folder or the go command binds to its package."""
    for parcel in parcels:
        src = scope.source(parcel.path)
        text = src[parcel.span.start : parcel.span.end]
        leaves = parcel.pkg.removesuffix("_test") != to.pkg
        point = point_at(src, parcel.path, parcel.span.start)
        names = ", ".join(d.sym for d in parcel.decls)
        if _EMBED in text and leaves:
            raise Reject("embeds_files", names, diagnostics=(point,))
        bodyless = any(_is_bodyless(d.node) for d in parcel.decls)
        # cgo reads //export in files that import C alone.
        exported = b"\n//export " in b"\n" + text
        if exported or ((b"//go:linkname" in text or bodyless) and leaves):
            raise Reject("known_to_directive", names, diagnostics=(point,))


def _is_bodyless(node: Node) -> bool:
    return node.type in nodes.FUNC_DECLS and nodes.find_field(node, "body") is None


def land(
    scope: Scope, parcels: Sequence[Parcel], to: Destination, to_file: str,
    placed: Collection[Parcel] = (),
) -> list[tuple[Parcel, Landing]]:  # fmt: skip
    """Where each parcel goes; what stands there already is left out, but for those `placed`."""
    out = []
    chosen: dict[str, Landing] = {}
    plain = bool(to_file) and not to_file.endswith("_test.go")
    apart = plain and any(not parcel.is_run for parcel in parcels)
    for parcel in parcels:
        if plain and parcel.is_run and not apart:
            names = ", ".join(d.sym for d in parcel.decls)
            raise Reject("bad_target_file", f"go test would not run {names} in {to_file}")
        role = _role(parcel)
        if not to_file or (apart and parcel.is_run):
            landing = find_landing(scope, to, role, parcel.path, chosen.values())
        else:
            role = "go" if plain else role if role == "xtest" else "test"
            landing = named_landing(scope, to, to_file, role, parcel.path)
        landing = chosen.setdefault(landing.path, landing)
        if landing.path != parcel.path or parcel in placed:
            out.append((parcel, landing))
    if not out:
        raise Reject("already_in_package", to_file or to.pkg)
    return out


def _role(parcel: Parcel) -> str:
    if not parcel.path.endswith("_test.go"):
        return "go"
    return "xtest" if parcel.pkg.endswith("_test") else "test"


def relocation_of(
    scope: Scope, landed: Sequence[tuple[Parcel, Landing]], to: Destination, *, export: bool
) -> Relocation:
    """Regions and members of landed parcels."""
    regions, members, homes = [], [], {}
    for parcel, landing in landed:
        to_pkg = f"{to.pkg}_test" if landing.role == "xtest" else to.pkg
        regions.append(Region(parcel.path, parcel.span, parcel.pkg, landing.path, to_pkg))
        homes[landing.path] = "" if landing.head else landing.path
        members += [Member(parcel.pkg, d.sym, to_pkg) for d in parcel.decls if d.kind != "method"]
    names = {to.pkg: to.name} if to.new else {}
    members = list(dict.fromkeys(members))
    return Relocation(
        scope, tuple(regions), tuple(members), homes, names, export, renewed(scope, members)
    )


def renewed(scope: Scope, members: Sequence[Member]) -> tuple[Edit, ...]:
    """The receivers that are to name their type itself, as an alias of it parts from it."""
    edits = list[Edit]()
    for pkg in dict.fromkeys(member.pkg for member in members if member.to_pkg != member.pkg):
        known = list_package(scope, pkg)
        going = {member.sym for member in members if member.pkg == pkg}
        edits += receiver_edits(scope, known, going, list_aliases(scope, known))
    return tuple(edits)


def plan_move(
    move: Relocation, outcome: Outcome, landed: Sequence[tuple[Parcel, Landing]],
    spot: Spot | None = None,
) -> Plan:  # fmt: skip
    """The edits: every parcel out of its place and, in order, at the spot or the end of a file."""
    scope = move.scope
    removals = list(dict.fromkeys(Edit(p.path, p.removal, b"") for p, _ in landed))
    keywords, wishes = [], list(outcome.wishes)
    for parcel, landing in landed:
        if parcel.keyword:
            at = parcel.decls[0].span.start
            keywords.append(Edit(parcel.path, Span(at, at), parcel.keyword.encode()))
        text = scope.source(parcel.path)[parcel.span.start : parcel.span.end]
        for directive in (directive for directive in _NEEDS if directive in text):
            wishes += _blank_wish(scope, landing, _NEEDS[directive])
            removals += _drop_blank(scope, parcel, landed, directive)
    pairs = list(zip(move.regions, landed, strict=True))
    arrivals = [
        _arrival(scope, path, [(r, *pair) for r, pair in pairs if pair[1].path == path], spot)
        for path in dict.fromkeys(landing.path for _, landing in landed)
    ]
    emptied = list_emptied(scope, [p for p, _ in landed], {la.path for _, la in landed})
    removals = [edit for edit in _merged(removals) if edit.path not in emptied]
    removals += [Edit(path, Span(0, 0), None) for path in emptied]
    kept = [edit for edit in wishes if edit.path not in emptied]
    outcome = outcome._replace(edits=(*keywords, *outcome.edits), wishes=tuple(kept))
    return assemble(move, outcome, removals, arrivals)


def _arrival(
    scope: Scope, path: str, mine: Sequence[tuple[Region, Parcel, Landing]], spot: Spot | None
) -> Arrival:
    region, _, landing = mine[0]
    src = scope.source(region.path if landing.head else path)
    end = b"\r\n" if b"\r\n" in src else b"\n"
    at = 0 if landing.head else len(src.rstrip())
    lead = landing.head.replace(b"\n", end) + end if landing.head else end * 2
    tail = end if landing.head or not src[at:] else b""
    if spot is not None and spot.path == path:
        at, lead, tail = spot.at, b"" if spot.before else lead, end * 2 if spot.before else b""
    runs = [(lead, region)]
    for (_, before, _), (region, parcel, _) in pairwise(mine):
        runs.append((end if _stacks(scope, before, parcel) else end * 2, region))
    return Arrival(path, at, tuple(runs), tail)


def _stacks(scope: Scope, before: Parcel, after: Parcel) -> bool:
    """Whether two declarations stood on adjacent lines, so that gofmt lines them up."""
    gap = scope.source(before.path)[before.span.end : after.span.start]
    whole = before.path == after.path and not (before.keyword or after.keyword)
    return whole and gap.strip() == b"" and gap.count(b"\n") == 1


def _merged(removals: Sequence[Edit]) -> list[Edit]:
    """Removals that meet or overlap as one; each file's in order."""
    out: list[Edit] = []
    for edit in sorted(removals, key=lambda e: (e.path, e.span)):
        last = out[-1] if out else None
        if last and last.path == edit.path and edit.span.start < last.span.end:
            end = max(last.span.end, edit.span.end)
            out[-1] = Edit(edit.path, Span(last.span.start, end), b"")
        else:
            out.append(edit)
    return out


def _blank_wish(scope: Scope, landing: Landing, needed: str) -> list[ImportWish]:
    imports = []
    if not landing.head:
        imports = list_imports(scope.tree(landing.path), scope.source(landing.path))
    has = any(imp.path == needed for imp in imports)
    return [] if has else [ImportWish(landing.path, needed, "_")]


def _drop_blank(
    scope: Scope, parcel: Parcel, landed: Sequence[tuple[Parcel, Landing]], directive: bytes
) -> list[Edit]:
    """The removal of a blank import that no directive of the file needs any more."""
    src, tree = scope.source(parcel.path), scope.tree(parcel.path)
    left = src.count(directive + b" ")
    for other, _ in landed:
        if other.path == parcel.path:
            left -= src[other.span.start : other.span.end].count(directive + b" ")
    needed = (_NEEDS[directive], "_")
    blank = [i for i in list_imports(tree, src) if (i.path, i.name) == needed]
    return [drop_import(parcel.path, tree, src, blank[0])] if blank and not left else []


def list_moved(move: Relocation, landed: Sequence[tuple[Parcel, Landing]]) -> list[Member]:
    """What moves, by name: methods only where their type does not."""
    types = {member.sym for member in move.members}
    methods = [
        Member(region.pkg, decl.sym, region.to_pkg)
        for (parcel, _), region in zip(landed, move.regions, strict=True)
        for decl in parcel.decls
        if decl.kind == "method" and decl.sym.partition(".")[0] not in types
    ]
    return [*move.members, *methods]
