"""Declarations that nothing alive refers to: not from mains, tests, initialisers or exported names.

Invariant: what may be alive is left out: exported names of packages that others can import,
exported methods of live types (reflection finds them), every method that may stand for a called
interface's, what directives, assembly or initialisers name.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from tree_sitter import Node

from ago.facts.satisfaction import PRECISION, load_satisfaction
from ago.protocol.requests import Unused
from ago.queries.page import list_answer
from ago.queries.reach import role_filter
from ago.queries.uses import name_of
from ago.workspace.address import resolve_package
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax import nodes
from grammar_ops.syntax.names import run_kind
from grammar_ops.syntax.parse import parse

REQUEST = Unused
EXAMPLE: dict[str, Json] = {"pkg": "lib"}

_KINDS = ("func", "method", "type", "alias", "var", "const")
_OBJECTS = (
    "SELECT o.symbol, s.pkg, s.sym, o.kind, o.exported, o.parent, p.path, o.name_line, o.name_col"
    " FROM object o JOIN symbol s ON s.id = o.symbol JOIN path p ON p.id = o.path"
    f" WHERE o.kind IN {_KINDS} ORDER BY p.path, o.name_off"
)
_EDGES = (
    'SELECT DISTINCT CASE WHEN encl_init THEN 0 ELSE encl END, symbol FROM "use"'
    f" WHERE true{role_filter(())}"
)


class _Object(NamedTuple):
    symbol: int
    pkg: str
    sym: str
    kind: str
    exported: int
    owner: int
    path: str
    line: int
    col: int


def answer(snapshot: Snapshot, request: Unused) -> dict[str, Json]:
    """`count` and `unused`: pkg, sym, kind, pos and `why`, by file and line; `checked`
    declarations in all."""
    pkg = resolve_package(snapshot, request.pkg) if request.pkg else ""
    db = snapshot.facts
    mains = {info.pkg for info in snapshot.packages().values() if info.name == "main"}
    objects: dict[int, _Object] = {}
    for row in map(_Object._make, db.execute(_OBJECTS)):
        objects.setdefault(row.symbol, row)
    edges: dict[int, list[int]] = {}
    for user, symbol in db.execute(_EDGES):
        edges.setdefault(user, []).append(symbol)
    roots = {o.symbol for o in objects.values() if _is_root(o, mains)}
    alive = _alive(db, objects, edges, roots)
    if literal := _in_literals(snapshot, [o for o in objects.values() if o.symbol not in alive]):
        alive = _alive(db, objects, edges, roots | literal)
    users: dict[int, int] = {}
    for user, symbols in edges.items():
        for symbol in symbols:
            own = user == symbol or (user in objects and objects[user].owner == symbol)
            if user and not own and symbol in objects and symbol not in alive:
                users.setdefault(symbol, user)
    dead = [o for o in objects.values() if o.symbol not in alive and not _is_blank(o.sym)]
    dead = [o for o in dead if not pkg or o.pkg.removesuffix("_test") == pkg]
    found: dict[str, Json] = {"pkg": pkg, "checked": len(objects), "precision": PRECISION}

    def hit(o: _Object) -> dict[str, Json]:
        return _hit(db, o, users.get(o.symbol, 0))

    return list_answer(snapshot, request, found, "unused", dead, hit)


def _alive(
    db: sqlite3.Connection,
    objects: dict[int, _Object],
    edges: dict[int, list[int]],
    roots: set[int],
) -> set[int]:
    """Everything that the roots reach; number 0 stands for initialisers and what has no place."""
    satisfaction = load_satisfaction(db)
    methods: dict[int, list[int]] = {}
    for o in objects.values():
        if o.kind == "method" and (o.exported or o.symbol in satisfaction.outside):
            methods.setdefault(o.owner, []).append(o.symbol)
    todo = [0, *sorted(roots)]
    alive = set(todo)
    while todo:
        symbol = todo.pop()
        following = [*edges.get(symbol, ()), *satisfaction.down.get(symbol, ())]
        following += methods.get(symbol, ())
        for other in following:
            if other not in alive:
                alive.add(other)
                todo.append(other)
    return alive


def _in_literals(snapshot: Snapshot, dead: list[_Object]) -> set[int]:
    """Unexported methods that an interface without a name asks for: it has no symbol of its own,
    and only one of their package can name them."""
    methods = [o for o in dead if o.kind == "method" and not o.exported]
    asked: dict[str, set[str]] = {}
    for pkg in {o.pkg for o in methods}:
        info = snapshot.package(pkg)
        names = {o.sym.rpartition(".")[2].encode() for o in methods if o.pkg == pkg}
        for path, _ in info.files if info else ():
            text = snapshot.read(path) or b""
            if b"interface" in text and any(name in text for name in names):
                asked.setdefault(pkg, set()).update(_interface_methods(text))
    return {o.symbol for o in methods if o.sym.rpartition(".")[2] in asked.get(o.pkg, ())}


def _interface_methods(text: bytes) -> set[str]:
    """The methods of the interfaces that a file writes out where a type is used."""
    found = set[str]()
    for node in nodes.descendants(parse(text).root_node):
        if nodes.is_interface_method(node) and not _is_declared(node):
            found |= {nodes.text_of(text, name) for name in nodes.name_nodes(node)}
    return found


def _is_declared(method: Node) -> bool:
    """Whether the interface of a method is the one that a type declaration names."""
    interface = method.parent
    return (
        interface is not None
        and interface.parent is not None
        and (interface.parent.type in nodes.SPECS)
    )


def _is_root(o: _Object, mains: set[str]) -> bool:
    """Whether something outside the source names or runs a declaration."""
    in_test = o.path.endswith("_test.go")
    if o.kind == "func" and run_kind(o.sym, in_test, o.pkg in mains):
        return True
    importable = o.pkg not in mains and "internal" not in o.pkg.split("/")
    return bool(o.exported) and importable and not in_test and o.kind != "method"


def _is_blank(sym: str) -> bool:
    return sym.rpartition(".")[2] == "_"


def _hit(db: sqlite3.Connection, o: _Object, user: int) -> dict[str, Json]:
    why = "nothing refers to it"
    if user:
        why = f"only {'.'.join(name_of(db, user))} refers to it, which is dead too"
    pos = f"{o.path}:{o.line}:{o.col}"
    return {"pkg": o.pkg, "sym": o.sym, "kind": o.kind, "pos": pos, "why": why}
