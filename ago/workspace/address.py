"""Addresses: what the caller wrote as pkg and sym, to the one declaration that it means.

Invariant: one meaning is used (and named when it was not written canonically), several are listed,
none is answered with near names; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ago.workspace import declared
from ago.workspace.declared import Found
from ago.workspace.near import near_packages
from ago.workspace.packages import find_packages
from ago.workspace.positions import POSITION, find_file, offset_of
from ago.workspace.snapshot import Snapshot
from ago.workspace.written import looser_names, nth_init, plain_package, plain_sym
from grammar_ops.edit import Span
from grammar_ops.near import near_pairs
from grammar_ops.reject import Json, Reject, register

register(
    "workspace",
    {
        "package_not_found": "no package of the workspace has that path, suffix or folder",
        "symbol_not_found": "the package declares no such name",
        "receiver_type_not_found": "the package declares no such type",
        "member_not_found": "the type has no such field or method",
        "ambiguous_address": "several declarations have that address; send one of the list",
        "address_required": "the call needs a pkg and a sym, or a sym that names both",
        "no_declaration_there": "no declaration encloses that position",
    },
)

Want = Literal["decl", "view", "any"]
"""decl: declared in the workspace; view: also a file or package; any: also what is only used."""

_LISTED = 10


@dataclass(frozen=True)
class Address:
    """A canonical address; kind is an object's, or `file` or `package` (sym is empty then)."""

    pkg: str
    sym: str
    kind: str
    path: str
    resolved: str | None
    """The canonical form, when the caller wrote another one."""
    place: Span | None = None
    """Where its name is written, when the caller gave a position: names like `init` need it."""
    position: str = ""
    """`file.go:line:col` of that place."""
    counted: str | None = None
    """The position, when the caller gave the number of an `init` instead."""

    @property
    def symbol(self) -> str:
        """`pkg.Sym`, as responses write it."""
        return f"{self.pkg}.{self.sym}" if self.sym else self.pkg


def resolve(
    snapshot: Snapshot, pkg: str, sym: str, want: Want = "decl", *, bare_methods: bool = True
) -> Address:
    """The one thing that pkg and sym mean; Reject with near names or the list otherwise.

    `bare_methods`: a name alone may be that of a method, where nothing else has it.
    """
    pkg, sym = pkg.strip(), sym.strip()
    if not pkg and not sym:
        raise Reject("address_required", "neither pkg nor sym is given")
    if match := POSITION.match(sym or pkg):
        return _at_position(snapshot, pkg if sym else "", match, want)
    package, plain = plain_package(pkg), plain_sym(sym)
    if (counted := nth_init(sym)) and (place := _init_place(snapshot, package, *counted)):
        numbered = _at_position(snapshot, "", place, want)
        return replace(numbered, counted=numbered.position)
    found = _meanings(snapshot, package, plain, want)
    if not found and snapshot.typed:
        found = _meanings(snapshot, package, plain, want, outside=True)
    if not found and bare_methods and snapshot.typed:
        found = _methods(snapshot, package, plain)
    if len(found) == 1:
        (one,) = found
        written = one.pkg == pkg and one.sym == sym
        return Address(one.pkg, one.sym, one.kind, one.path, None if written else _text(one))
    if found:
        listed = tuple(map(_text, found[:_LISTED]))
        detail = f"{_asked(package, plain)} means {len(found)} things"
        raise Reject("ambiguous_address", detail, did_you_mean=listed)
    snapshot.need_view(package, plain)
    raise _miss(snapshot, package, plain)


def resolve_package(snapshot: Snapshot, pkg: str) -> str:
    """The import path that a path, suffix, folder or file means; Reject otherwise."""
    pkg = plain_package(pkg)
    found = _packages_of(snapshot, pkg) if pkg else list(snapshot.graph.packages)
    if len(found) == 1:
        return found[0]
    if found and pkg:
        listed = tuple(found[:_LISTED])
        detail, facts = f"{pkg} means {len(found)} packages", {"missed": "pkg", "pkg": pkg}
        raise Reject("ambiguous_address", detail, did_you_mean=listed, facts={**facts})
    snapshot.need_view(pkg)
    raise _package_miss(snapshot, pkg, "")


def _meanings(
    snapshot: Snapshot, pkg: str, sym: str, want: Want, outside: bool = False
) -> list[Found]:
    """Everything that the first reading with any meaning means, by address.

    `outside` asks the files that no loaded build context covers.
    """
    for qualifier, name in _readings(pkg, sym):
        if not name:
            if want != "view":
                continue
            packages = _packages_of(snapshot, qualifier)
            hits = [Found(p, "", "package", snapshot.graph.packages[p].dir) for p in packages]
        elif qualifier:
            hits = _in_packages(snapshot, qualifier, name, want, outside)
        else:
            hits = _anywhere(snapshot, name, outside)
        unique = {(hit.pkg, hit.sym): hit for hit in hits}
        if unique:
            return [unique[key] for key in sorted(unique)]
    return []


def _readings(pkg: str, sym: str) -> Iterator[tuple[str, str]]:
    """The ways to split what was written into package and name, the literal one first."""
    for name in (sym, *looser_names(sym)):
        yield pkg, name
        if not sym:
            yield from _splits(pkg)
            return
        # `lib.Double` beside pkg `demo/lib` (or `demo`) repeats or narrows the package.
        yield from _splits(name)
        if pkg and "/" not in name and "." not in name:
            yield from ((q, f"{n}.{name}") for q, n in _splits(pkg))
        if not pkg and name == sym:
            yield sym, ""


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """`a/b.v2.T` -> (`a/b.v2`, `T`), (`a/b`, `v2.T`): the longest path first."""
    if match := _IN_FILE.fullmatch(text):
        yield match[1], match[2]
        return
    start = text.rfind("/") + 1
    dots = [i for i in range(start, len(text)) if text[i] == "."]
    for dot in reversed(dots):
        if dot > start and _is_name(text[dot + 1 :]):
            yield text[:dot], plain_sym(text[dot + 1 :])


def _packages_of(snapshot: Snapshot, text: str) -> list[str]:
    """Every package that a text may mean; a file means its own."""
    if not text.endswith(".go"):
        return find_packages(snapshot.graph, text)
    try:
        path = find_file(snapshot, "", text)
    except Reject:
        return []
    return [owner] if (owner := snapshot.graph.owners.get(path, ("",))[0]) else []


def _methods(snapshot: Snapshot, pkg: str, sym: str) -> list[Found]:
    """The one method of that name, when a name alone was given that no edit has changed."""
    for qualifier, name in _readings(pkg, sym):
        if not name or "." in name:
            continue
        packages = _packages_of(snapshot, qualifier) if qualifier else []
        found = declared.methods_named(snapshot, name, packages)
        if qualifier.endswith(".go") and len(found) > 1:
            found = [method for method in found if method.path.endswith(qualifier.lstrip("./"))]
        if (qualifier and not packages) or len(found) > 1:
            return []
        if found and not snapshot.past.renamed_to(found[0].pkg, name):
            return found
    return []


def _in_packages(
    snapshot: Snapshot, qualifier: str, name: str, want: Want, outside: bool
) -> list[Found]:
    hits = []
    for pkg in _packages_of(snapshot, qualifier):
        if found := declared.find_declared(snapshot, pkg, name, outside=outside):
            hits.append(found)
    if not hits and want == "any" and snapshot.typed:
        mentioned = declared.find_mentioned(snapshot, qualifier, name)
        return [mentioned] if mentioned else []
    return hits


def _anywhere(snapshot: Snapshot, name: str, outside: bool) -> list[Found]:
    packages = declared.packages_declaring(snapshot, name, outside=outside)
    if packages and not outside and snapshot.reach.pending:
        known = {pkg.removesuffix("_test") for pkg in packages}
        others = (pkg for pkg in snapshot.packages() if pkg not in known)
        later = [pkg for pkg in others if declared.places_to_come(snapshot, pkg, name)]
        packages = sorted([*packages, *later])
    if not packages and "." in name and not outside:
        # A promoted member is not declared under its owner: look where the owner is.
        packages = declared.packages_declaring(snapshot, name.rpartition(".")[0])
    tested = [pkg.removesuffix("_test") for pkg in packages]
    found = (
        declared.find_declared(snapshot, pkg, name, outside=outside)
        or (snapshot.typed and declared.find_declared(snapshot, pkg, name, outside=True))
        for pkg in tested
    )
    return [hit for hit in found if hit]


def _init_place(snapshot: Snapshot, pkg: str, path: str, number: int) -> re.Match[str] | None:
    """The position of the nth `init` of a package, as the go command orders their files."""
    packages = _packages_of(snapshot, path or pkg)
    places = declared.init_places(snapshot, packages[0]) if len(packages) == 1 else ()
    return POSITION.match(places[number]) if 0 <= number < len(places) else None


def _at_position(snapshot: Snapshot, pkg: str, match: re.Match[str], want: Want) -> Address:
    """`file.go` or `file.go:line[:col]`, by path or by name within a package."""
    snapshot.need_view(match["path"])
    path = find_file(snapshot, pkg, match["path"], match[0][len(match["path"]) :])
    owner, role = snapshot.graph.owners.get(path, ("", ""))
    owner = f"{owner}_test" if role == "xtest" else owner
    text = snapshot.read(path) or b""
    if not match["line"]:
        if want == "view":
            return Address(owner, "", "file", path, path if match["path"] != path else None)
        raise _not_one(snapshot, "address_required", f"{path} is a file", path, owner, 0)
    offset = offset_of(text, int(match["line"]), int(match["col"] or 0))
    decl = declared.find_at(snapshot, path, offset) if offset is not None else None
    if decl is None:
        near = len(text) if offset is None else offset
        raise _not_one(snapshot, "no_declaration_there", match[0], path, owner, near)
    name, at = f"{owner}.{decl.sym}", decl.name_span.start
    line, col = text.count(b"\n", 0, at) + 1, at - text.rfind(b"\n", 0, at)
    position = f"{path}:{line}:{col}"
    return Address(owner, decl.sym, decl.kind, path, name, decl.name_span, position)


def _not_one(
    snapshot: Snapshot, reason: str, detail: str, path: str, owner: str, near: int
) -> Reject:
    """A file where one declaration was wanted: what it declares, the nearest to an offset first."""
    decls = declared.decls_of(snapshot, path)
    decls.sort(key=lambda d: max(d.full_span.start - near, near - d.full_span.end))
    facts: dict[str, Json] = {"file": path}
    listed = tuple(f"{owner}.{d.sym}" for d in decls[:_LISTED])
    return Reject(reason, detail, did_you_mean=listed, facts=facts)


def _miss(snapshot: Snapshot, pkg: str, sym: str) -> Reject:
    """Why there is no such declaration, told of the reading that comes closest."""
    if not sym and (packages := _packages_of(snapshot, pkg)[:_LISTED]):
        facts: dict[str, Json] = {"package": packages[0]}
        return Reject("address_required", f"{' and '.join(packages)}: a package", facts=facts)
    readings = [
        (package, name)
        for qualifier, name in _readings(pkg, sym)
        if qualifier and name
        for package in _packages_of(snapshot, qualifier)[:_LISTED]
    ]
    if readings:
        distances = [_distance(snapshot, *reading) for reading in readings]
        nearest = [r for r, d in zip(readings, distances, strict=True) if d == min(distances)]
        misses = [_name_miss(snapshot, *reading) for reading in nearest]
        return next((miss for miss in misses if miss.did_you_mean), misses[0])
    if pkg:
        return _package_miss(snapshot, pkg, sym)
    return _unknown_name(snapshot, sym)


def _distance(snapshot: Snapshot, pkg: str, name: str) -> int:
    """How far a reading is from a meaning: its owner is known, it has none, that misses too."""
    owner = name.rpartition(".")[0]
    if not owner:
        return 1
    known = declared.find_declared(snapshot, pkg, owner) or snapshot.past.renamed_to(pkg, owner)
    return 0 if known else 2


def _package_miss(snapshot: Snapshot, pkg: str, sym: str) -> Reject:
    near = near_packages(pkg, snapshot.packages())
    having = [p for p in near if sym and declared.find_declared(snapshot, p, sym)]
    near = list(dict.fromkeys([*having, *near]))
    if sym and not near:
        near = declared.packages_declaring(snapshot, sym)[:3]
    facts: dict[str, Json] = {"missed": "pkg", "pkg": pkg, "sym": sym}
    unloaded = (f"{view.dir}: {view.state}" for view in snapshot.graph.views if view.owns(pkg))
    detail = "; the module is not loaded: ".join((pkg, *unloaded))
    return Reject("package_not_found", detail, did_you_mean=tuple(near), facts=facts)


def _name_miss(snapshot: Snapshot, pkg: str, sym: str) -> Reject:
    owner, _, member = sym.rpartition(".")
    names = declared.list_names(snapshot, pkg)
    facts: dict[str, Json] = {"pkg": pkg, "sym": sym, "owner": owner}
    if not owner:
        near = _renamed(snapshot, pkg, sym) or _near_in(snapshot, pkg, sym, names)
        near = near or tuple(_elsewhere(snapshot, sym))
        reason, missed = "symbol_not_found", "sym"
    elif declared.find_declared(snapshot, pkg, owner):
        own = [n for n in names if n[0].startswith(owner + ".")]
        near = _renamed(snapshot, pkg, sym) or near_pairs(member, own)
        near = near or near_pairs(member, names)
        reason, missed = "member_not_found", "member"
    else:
        near = _renamed(snapshot, pkg, owner) or tuple(_elsewhere(snapshot, sym))
        near = near or near_pairs(owner, [n for n in names if "." not in n[0]])
        reason, missed = "receiver_type_not_found", "receiver"
        facts["near_owners"] = list(near)
    facts["missed"] = missed
    return Reject(reason, f"{pkg}.{sym}", did_you_mean=tuple(near), facts=facts)


def _near_in(
    snapshot: Snapshot, pkg: str, sym: str, names: list[tuple[str, str]]
) -> tuple[str, ...]:
    """Near names of a plain one: without the package's own in it, package-level, members."""
    own = snapshot.packages()[pkg].name if pkg in snapshot.packages() else ""
    bare = re.sub(re.escape(own), "", sym, flags=re.IGNORECASE) if own else sym
    stutter = [name for name, _ in names if name.lower() == bare.lower() != sym.lower()]
    top = near_pairs(sym, [n for n in names if "." not in n[0]], farthest=1)
    others = near_pairs(sym, [n for n in names if _is_decl(n)])
    alike = [n for n in others if n.rpartition(".")[2].lower() == sym.lower()]
    elsewhere = _elsewhere(snapshot, sym)
    return tuple(dict.fromkeys([*stutter, *top, *alike, *elsewhere, *others]))[:3]


def _renamed(snapshot: Snapshot, pkg: str, sym: str) -> tuple[str, ...]:
    """What an accepted edit has renamed it to, as the only near name."""
    now = snapshot.past.renamed_to(pkg, sym)
    return (now,) if now and declared.find_declared(snapshot, pkg, now) else ()


def _unknown_name(snapshot: Snapshot, sym: str) -> Reject:
    """A name without a package that nothing in the workspace declares."""
    last = sym.rpartition(".")[2]
    near: tuple[str, ...] = ()
    if snapshot.typed:
        rows = snapshot.facts.execute(
            "SELECT DISTINCT s.pkg, s.sym FROM symbol s JOIN object o ON o.symbol = s.id"
            " ORDER BY o.kind = 'field', s.pkg, s.sym"
        )
        near = near_pairs(last, ((f"{p}.{s}", s.rpartition(".")[2]) for p, s in rows))
    facts: dict[str, Json] = {"missed": "sym", "pkg": "", "sym": sym}
    return Reject("symbol_not_found", sym, did_you_mean=tuple(near), facts=facts)


def _elsewhere(snapshot: Snapshot, sym: str) -> list[str]:
    """Where else the very name is declared."""
    return [f"{p}.{sym}" for p in declared.packages_declaring(snapshot, sym)[:3]]


def _is_decl(name: tuple[str, str]) -> bool:
    """Package-level names and Type.Member: all that a plain name may have meant."""
    return name[0].count(".") <= 1


_IN_FILE = re.compile(r"(\S+?\.go)[.:#]+([A-Za-z_].*)")
"""`file.go#Name`, `file.go:Name`: what a file declares."""


def _is_name(text: str) -> bool:
    return all(part.isidentifier() for part in plain_sym(text).split("."))


def _text(found: Found) -> str:
    return f"{found.pkg}.{found.sym}" if found.sym else found.pkg


def _asked(pkg: str, sym: str) -> str:
    return f"{pkg}.{sym}" if pkg and sym else pkg or sym
