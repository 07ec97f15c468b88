"""What one function calls, in source order, functions of dependencies and std included.

Invariant: conversions, built-in functions and calls of function values are left out; a call through
an interface is a call of the interface's method.
"""

from __future__ import annotations

from ago.protocol.requests import Callees
from ago.queries.functions import list_calls, resolve_function
from ago.queries.page import list_answer
from ago.queries.uses import Use, symbol_hit
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Callees
EXAMPLE: dict[str, Json] = {"sym": "lib.UseHelper"}


def answer(snapshot: Snapshot, request: Callees) -> dict[str, Json]:
    """`count` and `callees`: pkg and sym of the called function, where it is declared (`pos`, in
    the workspace only) and `call_pos` of the called name."""
    address, record = resolve_function(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    calls = list_calls(db, record.symbol)
    snapshot.verify({use.path for use, _ in calls} | {record.path})

    def hit(call: tuple[Use, int]) -> dict[str, Json]:
        use, symbol = call
        role: dict[str, Json] = {"role": use.role} if use.role != "call" else {}
        return symbol_hit(db, symbol) | {"call_pos": use.pos} | role

    found: dict[str, Json] = {"symbol": address.symbol, "resolved": address.resolved or ""}
    return list_answer(snapshot, request, found, "callees", calls, hit)
