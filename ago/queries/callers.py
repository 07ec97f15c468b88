"""Who calls one function, tests and package initialisers included.

Invariant: only uses in the shape of a call count; a call through an interface is a call of the
interface's method, which the answer names beside.
"""

from __future__ import annotations

import sqlite3

from ago.facts.read import UNNAMED, ObjectRecord
from ago.facts.satisfaction import PRECISION, load_satisfaction
from ago.protocol.requests import Callers
from ago.queries.functions import resolve_function
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import (
    CALLS,
    Use,
    by_address,
    list_uses,
    name_of,
    package_of,
    spell,
    symbol_hit,
    where_declared,
)
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Callers
EXAMPLE: dict[str, Json] = {"sym": "lib.Double"}

_THROUGH = 20
"""Interface methods that are named; `implementations` has them all."""


def answer(snapshot: Snapshot, request: Callers) -> dict[str, Json]:
    """`count` and `callers`: pkg, sym and pos of the calling declaration, `call_pos` of the called
    name; `through`: interface methods whose calls may reach the function too."""
    address, record = resolve_function(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    uses = list_uses(db, record.symbol, CALLS)
    snapshot.verify(use.path for use in uses)

    def hit(use: Use) -> dict[str, Json]:
        hit = symbol_hit(db, use.encl) | {"pkg": package_of(db, use), "call_pos": use.pos}
        hit |= {"role": use.role if use.role != "call" else "", "init": use.in_initialiser}
        return without_empty(hit)

    through: list[Json] = []
    methods = by_address(db, _interface_methods(db, record))
    for method in methods[:_THROUGH]:
        calls = len(list_uses(db, method, CALLS))
        through.append({"symbol": spell(name_of(db, method)), "calls": calls})
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "resolved": address.resolved or "",
        "through": through,
        "through_count": len(methods) if len(methods) > _THROUGH else 0,
        "precision": PRECISION if through else "",
    }
    return list_answer(snapshot, request, found, "callers", uses, hit)


def _interface_methods(db: sqlite3.Connection, record: ObjectRecord) -> frozenset[int]:
    """The methods of interfaces of the workspace, named or not, whose calls may reach a method."""
    if record.kind != "method":
        return frozenset()
    up = load_satisfaction(db).calling(record.symbol)
    return frozenset(m for m in up if where_declared(db, m) or UNNAMED in name_of(db, m)[1])
