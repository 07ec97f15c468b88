"""What a package declares, asked by name: from the facts, or from syntax where there are none.

Invariant: an answer is canonical: the address where the object is declared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ago.facts import read
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Reject
from grammar_ops.scope import PackageInfo
from grammar_ops.syntax.decls import Decl, find_decl, list_decls
from grammar_ops.syntax.parse import parse

_NEVER_BUILT = re.compile(rb"^//go:build .*\bignore\b", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """A declared object: its canonical address, kind and file; kind "" outside the workspace."""

    pkg: str
    sym: str
    kind: str
    path: str


def find_declared(snapshot: Snapshot, pkg: str, sym: str, *, outside: bool = False) -> Found | None:
    """The object of `pkg` (or of its external tests) named `sym`, through promotion too.

    `outside` asks the files that the facts do not cover instead.
    """
    if snapshot.typed and not outside:
        return _by_facts(snapshot, pkg, sym) or _by_facts(snapshot, f"{pkg}_test", sym)
    info = snapshot.package(pkg)
    if info and sym == "init":
        return _find_init(snapshot, info)
    return _by_syntax(snapshot, info, sym) if info else None


def find_mentioned(snapshot: Snapshot, pkg: str, sym: str) -> Found | None:
    """An object that the workspace does not declare but mentions, such as `fmt.Println`."""
    number = read.find_symbol(snapshot.facts, pkg, sym)
    used = 'SELECT 1 FROM "use" WHERE symbol = ? LIMIT 1'
    if number is not None and snapshot.facts.execute(used, (number,)).fetchone():
        return Found(pkg, sym, "", "")
    owner, _, member = sym.rpartition(".")
    return _promoted(snapshot, pkg, owner, member) if owner else None


def packages_declaring(snapshot: Snapshot, sym: str, *, outside: bool = False) -> list[str]:
    """The workspace packages (external test packages too) that declare `sym`, sorted."""
    if snapshot.typed and not outside:
        rows = snapshot.facts.execute(
            "SELECT DISTINCT s.pkg FROM symbol s JOIN object o ON o.symbol = s.id"
            " WHERE s.sym = ? ORDER BY s.pkg",
            (sym,),
        )
        return [pkg for (pkg,) in rows]
    infos = snapshot.packages().values()
    return [info.pkg for info in infos if _by_syntax(snapshot, info, sym)]


def methods_named(snapshot: Snapshot, name: str, pkgs: list[str]) -> list[Found]:
    """The methods of that name, of interfaces too, in some packages (all for none)."""
    rows = snapshot.facts.execute(
        "SELECT DISTINCT s.pkg, s.sym FROM symbol s JOIN object o ON o.symbol = s.id"
        " WHERE s.sym LIKE ? ESCAPE '\\' AND o.kind IN ('method', 'interface_method')"
        " ORDER BY s.pkg, s.sym",
        ("%." + name.replace("_", r"\_"),),
    )
    wanted = {of for pkg in pkgs for of in (pkg, f"{pkg}_test")}
    found = (
        _by_facts(snapshot, pkg, sym)
        for pkg, sym in rows
        if (not pkgs or pkg in wanted) and sym.rpartition(".")[2] == name
    )
    return [hit for hit in found if hit]


def places_to_come(snapshot: Snapshot, pkg: str, sym: str) -> list[str]:
    """`file.go:line` of each declaration of a name that contexts still to be checked will know of,
    by syntax; none once all are checked, since the facts have them then."""
    info, places = snapshot.package(pkg), list[str]()
    for path, role in info.files if info and snapshot.reach.pending else ():
        text = snapshot.read(path) if role == "ignored" else None
        if text is None or _NEVER_BUILT.search(text):
            continue
        if sym.rpartition(".")[2].encode() in text:
            decl = find_decl(parse(text), text, sym, path)
            if decl is not None:
                line = text.count(b"\n", 0, decl.name_span.start) + 1
                places.append(f"{path}:{line}")
    return places


def list_names(snapshot: Snapshot, pkg: str) -> list[tuple[str, str]]:
    """(sym, name to compare) of the package-level names, methods and fields that `pkg` declares."""
    if snapshot.typed:
        rows = snapshot.facts.execute(
            "SELECT DISTINCT s.sym FROM symbol s JOIN object o ON o.symbol = s.id"
            " WHERE s.pkg IN (?, ?) ORDER BY o.kind = 'field', s.sym",
            (pkg, f"{pkg}_test"),
        )
        syms = [sym for (sym,) in rows]
    else:
        info = snapshot.package(pkg)
        paths = [path for path, _ in info.files] if info else []
        syms = sorted(decl.sym for path in paths for decl in decls_of(snapshot, path))
    return [(sym, sym.rpartition(".")[2]) for sym in syms]


def decls_of(snapshot: Snapshot, path: str) -> list[Decl]:
    """The package-level declarations of a file, in source order."""
    text = snapshot.read(path)
    return list_decls(parse(text), text, path) if text is not None else []


def find_at(snapshot: Snapshot, path: str, offset: int) -> Decl | None:
    """The innermost package-level declaration (a group's member) that a byte of a file is in.

    The byte of a line before a declaration's own text counts: its doc and its indentation.
    """
    text = snapshot.read(path)
    if text is None:
        return None
    around = [
        d
        for d in list_decls(parse(text), text, path)
        if d.full_span.start <= offset < d.full_span.end
    ]
    return min(around, key=lambda d: d.full_span.end - d.full_span.start, default=None)


def _by_facts(snapshot: Snapshot, pkg: str, sym: str) -> Found | None:
    db = snapshot.facts
    records = read.find_objects(db, pkg, sym)
    if records:
        first = records[0]
        return Found(first.pkg, first.sym, first.kind, first.path)
    owner, _, member = sym.rpartition(".")
    return _promoted(snapshot, pkg, owner, member) if owner else None


def _promoted(snapshot: Snapshot, pkg: str, owner: str, member: str) -> Found | None:
    """What `owner.member` leads to through embedding: a method by the method sets, else a field."""
    db = snapshot.facts
    number = read.find_symbol(db, pkg, owner)
    if number is None:
        return None
    row = db.execute(
        "SELECT s.pkg, s.sym FROM method m JOIN symbol s ON s.id = m.method"
        " WHERE m.type = ? AND m.name = ?",
        (number, member),
    ).fetchone()
    if row:
        records = read.find_objects(db, row[0], row[1])
        kind, path = (records[0].kind, records[0].path) if records else ("", "")
        return Found(row[0], row[1], kind, path)
    return _promoted_field(snapshot, number, member)


def _promoted_field(snapshot: Snapshot, owner: int, member: str) -> Found | None:
    """The field at the least depth of embedding; none where two lie equally deep, as in Go."""
    db, level, seen = snapshot.facts, [owner], {owner}
    while level:
        below: list[int] = []
        hits: list[Found] = []
        for number in level:
            for pkg, sym in read.embedded_types(db, number):
                inner = read.find_symbol(db, pkg, sym)
                if inner is None or inner in seen:
                    continue
                seen.add(inner)
                below.append(inner)
                hits += [
                    Found(r.pkg, r.sym, r.kind, r.path)
                    for r in read.find_objects(db, pkg, f"{sym}.{member}")
                ]
        if hits:
            return hits[0] if len(hits) == 1 else None
        level = below
    return None


def init_places(snapshot: Snapshot, pkg: str) -> tuple[str, ...]:
    """`file.go:line` of each `init` function of a package, as the go command orders its files."""
    info = snapshot.package(pkg)
    return tuple(place for place, _, _ in _inits(snapshot, info)) if info else ()


def _find_init(snapshot: Snapshot, info: PackageInfo) -> Found | None:
    """The only `init` function of a package, which the facts do not name: nothing refers to it."""
    found = _inits(snapshot, info)
    if len(found) > 1:
        detail = f"{info.pkg} declares init {len(found)} times"
        places = tuple(place for place, _, _ in found)
        raise Reject("ambiguous_address", detail, did_you_mean=places)
    return Found(found[0][1], "init", "func", found[0][2]) if found else None


def _inits(snapshot: Snapshot, info: PackageInfo) -> list[tuple[str, str, str]]:
    """(position, package, file) of each `init` of a package."""
    out = []
    for path, role in info.files:
        text = snapshot.read(path) or b""
        for at in re.finditer(rb"^func init\(", text, re.MULTILINE):
            line = text.count(b"\n", 0, at.start()) + 1
            pkg = f"{info.pkg}_test" if role == "xtest" else info.pkg
            out.append((f"{path}:{line}", pkg, path))
    return out


def _by_syntax(snapshot: Snapshot, info: PackageInfo, sym: str) -> Found | None:
    """A declaration in the files that no facts speak of: all of them without a checker."""
    for path, role in info.files:
        if snapshot.typed and role != "ignored":
            continue
        text = snapshot.read(path)
        if text is None or sym.rpartition(".")[2].encode() not in text:
            continue
        decl = find_decl(parse(text), text, sym, path)
        if decl:
            pkg = f"{info.pkg}_test" if role == "xtest" else info.pkg
            return Found(pkg, sym, decl.kind, path)
    return None
