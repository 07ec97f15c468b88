"""Round trips: a random target in a tree, the op that changes it and the op that takes it back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.oracle.history import is_source
from bench.oracle.items import GoFile, Item, read_file
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import list_members
from grammar_ops.syntax.stmts import list_handles

Args = dict[str, Any]
EXTRA = "rtExtra"
_GENERATED = b"DO NOT EDIT."


@dataclass(frozen=True)
class Trip:
    """One trip: what it is about, the op there and the op back."""

    target: str
    there: Args
    back: Args


class Forest:
    """The Go files of a tree, read when they are asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        rels = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*.go")))
        self.paths = [rel for rel in rels if is_source(rel)]

    def pick(self, rng: random.Random) -> tuple[str, GoFile]:
        """A random file that people write."""
        while True:
            path = rng.choice(self.paths)
            src = (self.root / path).read_bytes()
            parsed = read_file(src) if _GENERATED not in src[:2000] else None
            if parsed is not None and parsed.items:
                return path, parsed

    def folder_of(self, path: str) -> str:
        """The folder of a file as an address of its package."""
        folder = path.rpartition("/")[0]
        return f"./{folder}" if folder else "."


def find_trip(kind: str, forest: Forest, rng: random.Random) -> Trip:
    """A random trip of a kind."""
    while True:
        path, file = forest.pick(rng)
        item = rng.choice(file.items)
        if not item.syms or item.syms[0] in ("_", "init", "main", "TestMain"):
            continue
        address: Args = {"pkg": forest.folder_of(path), "sym": item.syms[0]}
        found = list(TRIPS[kind](address, path, file, item, forest, rng))
        if found:
            return rng.choice(found)


def _rename(
    address: Args, path: str, file: GoFile, item: Item, forest: Forest, rng: random.Random
) -> Iterator[Trip]:
    """A declaration, a field or a method gets another name of the same kind."""
    syms = [*item.syms]
    if item.kind == "type":
        syms += [m.sym for decl in item.decls for m in list_members(decl, file.src)]
    sym = rng.choice([sym for sym in syms if sym != "_"])
    owner, dot, name = sym.rpartition(".")
    to = f"{name}Zq"
    there = {"op": "rename", **address, "sym": sym, "to": to, "implementors": True}
    back = {**there, "sym": f"{owner}{dot}{to}", "to": name}
    yield Trip(f"{path} {sym}", there, back)


def _move(
    address: Args, path: str, file: GoFile, item: Item, forest: Forest, rng: random.Random
) -> Iterator[Trip]:
    """A declaration goes to another file, of its package or of another one."""
    if "." in item.syms[0]:
        return
    folder = path.rpartition("/")[0]
    mates = [p for p in forest.paths if p.rpartition("/")[0] == folder and p != path]
    mates = [p for p in mates if p.endswith("_test.go") == path.endswith("_test.go")]
    if mates and rng.random() < 0.5:
        to = rng.choice(mates)
        there = {"op": "move_decl", **address, "to_file": to}
        yield Trip(f"{path} {item.syms[0]} {to}", there, {**there, "to_file": path})
        return
    other, _ = forest.pick(rng)
    to_pkg = forest.folder_of(other)
    if to_pkg != address["pkg"] and not path.endswith("_test.go"):
        there = {"op": "move_decl", **address, "to_pkg": to_pkg}
        back = {**address, "op": "move_decl", "pkg": to_pkg, "to_pkg": address["pkg"]}
        yield Trip(f"{path} {item.syms[0]} {to_pkg}", there, {**back, "to_file": path})


def _param(
    address: Args, path: str, file: GoFile, item: Item, forest: Forest, rng: random.Random
) -> Iterator[Trip]:
    """A parameter comes and goes."""
    if item.kind == "func":
        there = {"op": "add_param", **address, "name": EXTRA, "type": "int", "default": "0"}
        back = {"op": "remove_param", **address, "name": EXTRA}
        yield Trip(f"{path} {item.syms[0]}", there, back)


def _field(
    address: Args, path: str, file: GoFile, item: Item, forest: Forest, rng: random.Random
) -> Iterator[Trip]:
    """A field comes and goes."""
    if item.kind == "type" and "struct {" in item.code:
        there = {"op": "add_field", **address, "name": EXTRA, "type": "int", "default": "0"}
        fields = [m for m in list_members(item.decls[0], file.src) if m.sym.count(".") == 1]
        if fields and rng.random() < 0.5:
            there["after"] = rng.choice(fields).name
        back = {"op": "remove_field", **address, "sym": f"{address['sym']}.{EXTRA}"}
        yield Trip(f"{path} {item.syms[0]}", there, back)


def _wrap(
    address: Args, path: str, file: GoFile, item: Item, forest: Forest, rng: random.Random
) -> Iterator[Trip]:
    """Statements go into a block, an if or a loop, and out again."""
    if item.kind != "func" or item.decls[0].body_span is None:
        return
    handles = list_handles(item.decls[0])
    names = {handle.node.id: name for name, handle in handles.items()}
    lists = [
        inner
        for handle in handles.values()
        if (body := nodes.find_body(handle.node)) is not None
        and (inner := nodes.statements(body))
        and inner[0].start_point.row > body.start_point.row  # a line that is broken stays broken
        and all(node.id in names for node in inner)
    ]
    if not lists:
        return
    inner = rng.choice(lists)
    low = rng.randrange(len(inner))
    high = rng.randrange(low, len(inner))
    wrapper = rng.choice(["if", "block", "for", "func"])
    first, last = names[inner[low].id], names[inner[high].id]
    there = {"op": "wrap_stmts", **address, "from": first, "to": last, "with": wrapper}
    if wrapper in ("if", "for"):
        there["cond"] = "1 < 2"
    yield Trip(f"{path} {item.syms[0]} {first}..{last} {wrapper}", there, {
        "op": "unwrap", **address, "at": first,
    })  # fmt: skip


Finder = Callable[[Args, str, GoFile, Item, Forest, random.Random], Iterator[Trip]]
TRIPS: dict[str, Finder] = {
    "rename": _rename, "move": _move, "param": _param, "field": _field, "wrap": _wrap,
}  # fmt: skip
