"""Who calls one function, tests and package initialisers included.

Invariant: only uses in the shape of a call count; a call through an interface is a call of the
interface's method, which the answer names beside.
"""

from __future__ import annotations

from ago.facts import read
from ago.protocol.requests import Callers
from ago.queries.functions import resolve_function
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import CALLS, Use, list_uses, package_of, symbol_hit
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
    methods = read.related(db, record.pkg, record.sym, "interface_methods")
    for method in methods[:_THROUGH]:
        symbol = read.find_symbol(db, method.pkg, method.sym) or 0
        calls = len(list_uses(db, symbol, CALLS))
        through.append({"symbol": f"{method.pkg}.{method.sym}", "calls": calls})
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "resolved": address.resolved or "",
        "through": through,
        "through_count": len(methods) if len(methods) > _THROUGH else 0,
        "precision": "method sets (CHA)" if through else "",
    }
    return list_answer(snapshot, request, found, "callers", uses, hit)
