"""Addresses: what the caller wrote as pkg and sym, to the one declaration that it means.

Invariant: one meaning is used (and named when it was not written canonically), several are listed,
none is answered with near names; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ago.workspace import declared
from ago.workspace.declared import Found
from ago.workspace.near import near_packages
from ago.workspace.packages import find_packages
from ago.workspace.positions import POSITION, find_file, offset_of
from ago.workspace.snapshot import Snapshot
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

    @property
    def symbol(self) -> str:
        """`pkg.Sym`, as responses write it."""
        return f"{self.pkg}.{self.sym}" if self.sym else self.pkg


def resolve(snapshot: Snapshot, pkg: str, sym: str, want: Want = "decl") -> Address:
    """The one thing that pkg and sym mean; Reject with near names or the list otherwise."""
    pkg, sym = pkg.strip(), sym.strip()
    if not pkg and not sym:
        raise Reject("address_required", "neither pkg nor sym is given")
    if match := POSITION.match(sym or pkg):
        return _at_position(snapshot, pkg if sym else "", match, want)
    plain = _plain_sym(sym)
    found = _meanings(snapshot, pkg, plain, want)
    if not found and snapshot.typed:
        found = _meanings(snapshot, pkg, plain, want, outside=True)
    if len(found) == 1:
        (one,) = found
        written = one.pkg == pkg and one.sym == sym
        return Address(one.pkg, one.sym, one.kind, one.path, None if written else _text(one))
    if found:
        listed = tuple(map(_text, found[:_LISTED]))
        detail = f"{_asked(pkg, plain)} means {len(found)} things"
        raise Reject("ambiguous_address", detail, did_you_mean=listed)
    snapshot.need_view(pkg, plain)
    raise _miss(snapshot, pkg, plain)


def resolve_package(snapshot: Snapshot, pkg: str) -> str:
    """The import path that a path, suffix, folder or file means; Reject otherwise."""
    found = find_packages(snapshot.graph, pkg)
    if len(found) == 1:
        return found[0]
    if found:
        listed = tuple(found[:_LISTED])
        raise Reject("ambiguous_address", f"{pkg} means {len(found)} packages", did_you_mean=listed)
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
            packages = find_packages(snapshot.graph, qualifier)
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
    yield pkg, sym
    if not sym:
        yield from _splits(pkg)
        return
    # `lib.Double` beside pkg `demo/lib` (or `demo`) repeats or narrows the package.
    yield from _splits(sym)
    if pkg and "/" not in sym and "." not in sym:
        yield from ((q, f"{n}.{sym}") for q, n in _splits(pkg))
    if not pkg:
        yield sym, ""


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """`a/b.v2.T` -> (`a/b.v2`, `T`), (`a/b`, `v2.T`): the longest path first."""
    start = text.rfind("/") + 1
    dots = [i for i in range(start, len(text)) if text[i] == "."]
    for dot in reversed(dots):
        if dot > start and _is_name(text[dot + 1 :]):
            yield text[:dot], _plain_sym(text[dot + 1 :])


def _in_packages(
    snapshot: Snapshot, qualifier: str, name: str, want: Want, outside: bool
) -> list[Found]:
    hits = []
    for pkg in find_packages(snapshot.graph, qualifier):
        if found := declared.find_declared(snapshot, pkg, name, outside=outside):
            hits.append(found)
    if not hits and want == "any" and snapshot.typed:
        mentioned = declared.find_mentioned(snapshot, qualifier, name)
        return [mentioned] if mentioned else []
    return hits


def _anywhere(snapshot: Snapshot, name: str, outside: bool) -> list[Found]:
    packages = declared.packages_declaring(snapshot, name, outside=outside)
    if not packages and "." in name and not outside:
        # A promoted member is not declared under its owner: look where the owner is.
        packages = declared.packages_declaring(snapshot, name.rpartition(".")[0])
    tested = [pkg.removesuffix("_test") for pkg in packages]
    found = (declared.find_declared(snapshot, pkg, name, outside=outside) for pkg in tested)
    return [hit for hit in found if hit]


def _at_position(snapshot: Snapshot, pkg: str, match: re.Match[str], want: Want) -> Address:
    """`file.go` or `file.go:line[:col]`, by path or by name within a package."""
    snapshot.need_view(match["path"])
    path = find_file(snapshot, pkg, match["path"])
    owner, role = snapshot.graph.owners.get(path, ("", ""))
    owner = f"{owner}_test" if role == "xtest" else owner
    text = snapshot.read(path) or b""
    if not match["line"]:
        if want == "view":
            return Address(owner, "", "file", path, path if match["path"] != path else None)
        raise _not_one(snapshot, "address_required", f"{path} is a file", path, owner)
    offset = offset_of(text, int(match["line"]), int(match["col"] or 0))
    decl = declared.find_at(snapshot, path, offset) if offset is not None else None
    if decl is None:
        raise _not_one(snapshot, "no_declaration_there", match[0], path, owner)
    return Address(owner, decl.sym, decl.kind, path, f"{owner}.{decl.sym}", decl.name_span)


def _not_one(snapshot: Snapshot, reason: str, detail: str, path: str, owner: str) -> Reject:
    """A file where one declaration was wanted: what it declares is what may have been meant."""
    decls = declared.decls_of(snapshot, path)[:_LISTED]
    return Reject(reason, detail, did_you_mean=tuple(f"{owner}.{d.sym}" for d in decls))


def _miss(snapshot: Snapshot, pkg: str, sym: str) -> Reject:
    """Why there is no such declaration, told of the reading that comes closest."""
    readings = [(q, n) for q, n in _readings(pkg, sym) if q and n]
    for qualifier, name in readings:
        packages = find_packages(snapshot.graph, qualifier)
        if packages:
            return _name_miss(snapshot, packages[0], name)
    if pkg:
        return _package_miss(snapshot, pkg, sym)
    return _unknown_name(snapshot, sym)


def _package_miss(snapshot: Snapshot, pkg: str, sym: str) -> Reject:
    near = near_packages(pkg, snapshot.packages())
    facts: dict[str, Json] = {"missed": "pkg", "pkg": pkg, "sym": sym}
    unloaded = (f"{view.dir}: {view.state}" for view in snapshot.graph.views if view.owns(pkg))
    detail = "; the module is not loaded: ".join((pkg, *unloaded))
    return Reject("package_not_found", detail, did_you_mean=tuple(near), facts=facts)


def _name_miss(snapshot: Snapshot, pkg: str, sym: str) -> Reject:
    owner, _, member = sym.rpartition(".")
    names = declared.list_names(snapshot, pkg)
    facts: dict[str, Json] = {"pkg": pkg, "sym": sym, "owner": owner}
    if not owner:
        near = _renamed(snapshot, pkg, sym) or near_pairs(sym, [n for n in names if _is_decl(n)])
        near = near or tuple(_elsewhere(snapshot, sym))
        reason, missed = "symbol_not_found", "sym"
    elif declared.find_declared(snapshot, pkg, owner):
        own = [n for n in names if n[0].startswith(owner + ".")]
        near = _renamed(snapshot, pkg, sym) or near_pairs(member, own)
        near = near or near_pairs(member, names)
        reason, missed = "member_not_found", "member"
    else:
        near = _renamed(snapshot, pkg, owner)
        near = near or near_pairs(owner, [n for n in names if "." not in n[0]])
        reason, missed = "receiver_type_not_found", "receiver"
        facts["near_owners"] = list(near)
    facts["missed"] = missed
    return Reject(reason, f"{pkg}.{sym}", did_you_mean=tuple(near), facts=facts)


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


_METHOD_DECL = re.compile(r"func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)[^)]*\)\s*(\w+)")
_FUNC_DECL = re.compile(r"func\s+(\w+)")
_TYPE_ARGS = re.compile(r"\[[^\]]*\]")
_RECEIVER = re.compile(r"\(\s*\*?\s*([\w.]+)\s*\)")


def _plain_sym(sym: str) -> str:
    """`(*T[K]).M()`, `func (t *T[K]) M(x int)` and their kin as `T.M`."""
    text = _TYPE_ARGS.sub("", sym)
    if match := _METHOD_DECL.match(text):
        return f"{match[1]}.{match[2]}"
    if match := _FUNC_DECL.match(text):
        return match[1]
    text = _RECEIVER.sub(r"\1", text.removesuffix("()"))
    return text.replace("*", "").strip()


def _is_name(text: str) -> bool:
    return all(part.isidentifier() for part in _plain_sym(text).split("."))


def _text(found: Found) -> str:
    return f"{found.pkg}.{found.sym}" if found.sym else found.pkg


def _asked(pkg: str, sym: str) -> str:
    return f"{pkg}.{sym}" if pkg and sym else pkg or sym
