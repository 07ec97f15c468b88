"""Candidates for reshaping ops: what looks like a rename, a move, a changed signature."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bench.oracle.items import GoFile, Item
from bench.oracle.match import match_items, names
from bench.oracle.signatures import change_signature
from bench.oracle.step import Op
from grammar_ops.syntax.decls import list_members

Tree = Mapping[str, GoFile]
ALIKE, MOSTLY = 0.6, 0.8
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Candidate:
    """Ops that may be what a commit did; several ways of saying it, tried in order."""

    key: str
    ways: list[list[Op]]


@dataclass(frozen=True)
class _Loose:
    """An item that came or went."""

    path: str
    pkg: str
    item: Item


def find_candidates(old: Tree, new: Tree, pkg_of: Callable[[str], str]) -> Iterator[Candidate]:
    """Candidates, those first that reshape most."""
    yield from _file_moves(old, new)
    gone, come = list(_loose(old, new, pkg_of)), list(_loose(new, old, pkg_of))
    yield from _moves(gone, come)
    for path in sorted({*old} & {*new}):
        yield from _reorders(path, pkg_of(path), old[path].items, new[path].items)
    yield from _renames(gone, come)
    for path in sorted({*old} & {*new}):
        before, after = old[path].items, new[path].items
        for i, j in match_items(before, after).pairs:
            address = {"pkg": pkg_of(path), "sym": before[i].key}
            if before[i].text == after[j].text or not names(before[i]):
                continue
            if before[i].kind == "type":
                yield from _member_renames(address, old[path], before[i], new[path], after[j])
            elif before[i].kind == "func":
                ways = change_signature(address, before[i], after[j], new)
                if ways:
                    yield Candidate(f"signature {path} {before[i].key} {ways[0]}", ways)


def _loose(one: Tree, other: Tree, pkg_of: Callable[[str], str]) -> Iterator[_Loose]:
    """The items of `one` that stand in no file of the same path in `other`."""
    for path, file in sorted(one.items()):
        across = other[path].items if path in other else ()
        for i in match_items(file.items, across).gone:
            if names(file.items[i]):
                yield _Loose(path, pkg_of(path), file.items[i])


def _file_moves(old: Tree, new: Tree) -> Iterator[Candidate]:
    for source in sorted({*old} - {*new}):
        texts = Counter(item.text for item in old[source].items)
        for target in sorted({*new} - {*old}):
            both = texts & Counter(item.text for item in new[target].items)
            if sum(both.values()) > len(old[source].items) / 2:
                op: Op = {"op": "move_file", "from": source, "to": target}
                yield Candidate(f"file {source} {target}", [[op]])


def _moves(gone: list[_Loose], come: list[_Loose]) -> Iterator[Candidate]:
    """What left one file and stands in another, a type with its methods at once."""
    routes: dict[tuple[str, str, str, str], list[str]] = {}
    for a in gone:
        for b in come:
            same = a.item.syms[:1] == b.item.syms[:1] and a.path != b.path
            if same and _alike(a.item.code, b.item.code) > MOSTLY:
                routes.setdefault((a.pkg, a.path, b.pkg, b.path), []).extend(a.item.syms)
    for (pkg, _, to_pkg, to_file), syms in routes.items():
        top = [sym for sym in syms if "." not in sym or sym.split(".")[0] not in syms]
        op: Op = {"op": "move_decl", "pkg": pkg, "syms": top, "to_file": to_file}
        if to_pkg != pkg:
            op |= {"to_pkg": to_pkg, "create_pkg": True}
        yield Candidate(f"move {op}", [[op]])


def _reorders(
    path: str, pkg: str, before: Sequence[Item], after: Sequence[Item]
) -> Iterator[Candidate]:
    """What stands elsewhere in its file: all but the most text that kept its order."""
    pairs = match_items(before, after).pairs
    kept = _heaviest_rise([(i, len(before[i].text)) for i, _ in pairs])
    for at, (i, _) in enumerate(pairs):
        if i in kept or not names(before[i]):
            continue
        place, mate = ("after", pairs[at - 1][0]) if at else ("before", pairs[1][0])
        if names(before[mate]):
            op: Op = {"op": "move_decl", "pkg": pkg, "syms": [*before[i].syms]}
            op[place] = next(sym for sym in before[mate].syms if sym in names(before[mate]))
            yield Candidate(f"order {path} {op}", [[op]])


def _heaviest_rise(weighted: Sequence[tuple[int, int]]) -> set[int]:
    """The ascending subsequence of (number, weight) pairs that weighs most: its numbers."""
    best: list[tuple[int, list[int]]] = []
    for number, weight in weighted:
        below = [(heavy, run) for heavy, run in best if run[-1] < number]
        heavy, run = max(below, default=(0, []))
        best.append((heavy + weight, [*run, number]))
    return set(max(best, default=(0, []))[1])


def _renames(gone: list[_Loose], come: list[_Loose]) -> Iterator[Candidate]:
    """What left a package under one name and is there under another, types before the rest."""
    for a in sorted(gone, key=lambda loose: loose.item.kind != "type"):
        rated = [
            (_alike(_renamed(a.item, b.item), b.item.code), b)
            for b in come
            if (a.pkg, a.item.kind) == (b.pkg, b.item.kind)
            and len(a.item.syms) == len(b.item.syms) == 1
            and a.item.syms[0].rpartition(".")[0] == b.item.syms[0].rpartition(".")[0]
            and a.item.syms != b.item.syms
        ]
        rate, best = max(rated, key=lambda pair: pair[0], default=(0.0, None))
        if best is not None and rate > ALIKE:
            to = best.item.syms[0].rpartition(".")[2]
            op: Op = {"op": "rename", "pkg": a.pkg, "sym": a.item.syms[0], "to": to}
            ways = [[op]]
            if a.item.kind == "func" and "." in a.item.syms[0]:
                ways.append([{**op, "implementors": True}])
            yield Candidate(f"rename {a.pkg} {a.item.syms[0]} {to}", ways)


def _renamed(old: Item, new: Item) -> str:
    a, b = old.syms[0].rpartition(".")[2], new.syms[0].rpartition(".")[2]
    return re.sub(rf"\b{re.escape(a)}\b", b, old.code)


def _member_renames(
    address: Op, old_file: GoFile, old: Item, new_file: GoFile, new: Item
) -> Iterator[Candidate]:
    """Fields and interface methods at the same place with another name."""
    if len(old.decls) != 1 or len(new.decls) != 1:
        return
    before = list_members(old.decls[0], old_file.src)
    after = list_members(new.decls[0], new_file.src)
    olds, news = {m.name for m in before}, {m.name for m in after}
    for a, b in zip(before, after, strict=False):
        if a.name not in news and b.name not in olds and a.kind == b.kind and not a.embedded:
            op: Op = {"op": "rename", "pkg": address["pkg"], "sym": a.sym, "to": b.name}
            ways = [[op]]
            if a.kind == "interface_method":
                ways = [[{**op, "implementors": True}]]
            yield Candidate(f"rename {address['pkg']} {a.sym} {b.name}", ways)


def _alike(one: str, other: str) -> float:
    """How alike two texts are, word by word."""
    if one == other:
        return 1.0
    matcher = SequenceMatcher(None, _WORD.findall(one), _WORD.findall(other), autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() > ALIKE else 0.0
