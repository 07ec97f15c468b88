"""Declarations that nothing alive refers to: not from mains, tests, initialisers or exported names.

Invariant: what may be alive is left out: exported names of packages that others can import,
exported methods of live types (reflection finds them), every method that may stand for one of a
live interface (it makes its type fit), what directives, assembly or initialisers name.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from ago.facts.read import OF_INTERFACE, UNNAMED
from ago.facts.satisfaction import PRECISION, load_satisfaction
from ago.facts.states import PerState
from ago.protocol.requests import Unused
from ago.queries.page import list_answer
from ago.queries.reach import role_filter
from ago.queries.uses import name_of, spell
from ago.workspace.address import resolve_package
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax.names import run_kind

REQUEST = Unused
EXAMPLE: dict[str, Json] = {"pkg": "lib"}

_KINDS = ("func", "method", "type", "alias", "var", "const")
_OBJECTS = (
    "SELECT o.symbol, s.pkg, s.sym, o.kind, o.exported, o.parent, p.path, o.name_line, o.name_col"
    " FROM object o JOIN symbol s ON s.id = o.symbol JOIN path p ON p.id = o.path"
    f" WHERE o.kind IN {_KINDS}"
)
_EDGES = (
    'SELECT DISTINCT CASE WHEN encl_init THEN 0 ELSE encl END, symbol FROM "use"'
    f" WHERE true{role_filter(())}"
)
_ASKED = (
    f"SELECT DISTINCT CASE WHEN s.sym LIKE '%{UNNAMED}' THEN 0 ELSE m.type END, m.method"
    f" FROM method m JOIN symbol s ON s.id = m.type WHERE m.ptr = {OF_INTERFACE}"
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

    @property
    def place(self) -> tuple[str, int, int]:
        return self.path, self.line, self.col


class _Dead(NamedTuple):
    """What is dead in one state of the facts, by file and line."""

    checked: int
    objects: list[_Object]
    users: Mapping[int, int]
    """One of those that refer to it, which is dead too, by symbol numbers."""


def answer(snapshot: Snapshot, request: Unused) -> dict[str, Json]:
    """`count` and `unused`: pkg, sym, kind, pos and `why`, by file and line; `checked`
    declarations in all."""
    pkg = resolve_package(snapshot, request.pkg) if request.pkg else ""
    db = snapshot.facts
    dead = _STATES.of(db)
    chosen = [o for o in dead.objects if not pkg or o.pkg.removesuffix("_test") == pkg]
    found: dict[str, Json] = {"pkg": pkg, "checked": dead.checked, "precision": PRECISION}

    def hit(o: _Object) -> dict[str, Json]:
        return _hit(db, o, dead.users.get(o.symbol, 0))

    return list_answer(snapshot, request, found, "unused", chosen, hit)


def _find_dead(db: sqlite3.Connection) -> _Dead:
    objects: dict[int, _Object] = {}
    for o in map(_Object._make, db.execute(_OBJECTS)):
        known = objects.get(o.symbol)
        if known is None or o.place < known.place:
            objects[o.symbol] = o
    edges = defaultdict[int, list[int]](list)
    for user, symbol in chain(db.execute(_EDGES), db.execute(_ASKED)):
        edges[user].append(symbol)
    alive = _alive(db, objects.values(), edges)
    dead = {symbol: o for symbol, o in objects.items() if symbol not in alive}
    users: dict[int, int] = {}
    for user in sorted(dead, key=lambda symbol: dead[symbol].place):
        for symbol in edges.get(user, ()):
            if symbol in dead and symbol not in (user, dead[user].owner):
                users.setdefault(symbol, user)
    named = (o for o in dead.values() if not _is_blank(o.sym))
    return _Dead(len(objects), sorted(named, key=lambda o: o.place), users)


def _alive(
    db: sqlite3.Connection, objects: Iterable[_Object], edges: Mapping[int, list[int]]
) -> set[int]:
    """Everything that the roots reach; number 0 stands for initialisers and what has no place."""
    satisfaction = load_satisfaction(db)
    mains = {pkg for (pkg,) in db.execute("SELECT pkg FROM package WHERE name = 'main'")}
    methods = defaultdict[int, list[int]](list)
    todo = [0]
    for o in objects:
        if o.kind == "method" and (o.exported or o.symbol in satisfaction.outside):
            methods[o.owner].append(o.symbol)
        if _is_root(o, mains):
            todo.append(o.symbol)
    alive = set(todo)
    down = satisfaction.down
    while todo:
        symbol = todo.pop()
        for following in (edges, down, methods):
            for other in following.get(symbol, ()):
                if other not in alive:
                    alive.add(other)
                    todo.append(other)
    return alive


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
        why = f"only {spell(name_of(db, user))} refers to it, which is dead too"
    pos = f"{o.path}:{o.line}:{o.col}"
    return {"pkg": o.pkg, "sym": o.sym, "kind": o.kind, "pos": pos, "why": why}


_STATES = PerState(_find_dead)
