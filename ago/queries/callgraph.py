"""The calls around one function, both ways and several steps deep.

Invariant: breadth first, each function once, nearest first; interface calls go to every method that
may stand for the interface's, and such a step names it (`through`).
"""

from __future__ import annotations

from ago.facts.satisfaction import PRECISION, load_satisfaction
from ago.protocol.requests import CallGraph
from ago.queries import reach
from ago.queries.functions import resolve_function
from ago.queries.page import list_answer
from ago.queries.uses import name_of, spell, symbol_hit
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = CallGraph
EXAMPLE: dict[str, Json] = {"sym": "lib.Double", "depth": 2}


def answer(snapshot: Snapshot, request: CallGraph) -> dict[str, Json]:
    """`count` and `calls`: `dir` up (callers) or down (callees), depth, pkg, sym and pos of the
    function reached, and `from`, the one it was reached from."""
    address, record = resolve_function(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    satisfaction = load_satisfaction(db)
    steps: list[tuple[str, reach.Step]] = []
    if request.direction != "down":
        up = reach.users(db, satisfaction, reach.CALLING)
        steps += [("up", s) for s in reach.walk([record.symbol], up, request.depth)]
    if request.direction != "up":
        down = reach.used(db, satisfaction, reach.CALLING)
        steps += [("down", s) for s in reach.walk([record.symbol], down, request.depth)]

    def hit(reached: tuple[str, reach.Step]) -> dict[str, Json]:
        direction, step = reached
        hit: dict[str, Json] = {"dir": direction, "depth": step.depth}
        hit |= symbol_hit(db, step.there)
        if step.here != record.symbol:
            hit["from"] = spell(name_of(db, step.here))
        if step.interface:
            hit["through"] = spell(name_of(db, step.interface))
        return hit

    found: dict[str, Json] = {
        "symbol": address.symbol,
        "resolved": address.resolved or "",
        "precision": PRECISION,
        "up": sum(direction == "up" for direction, _ in steps),
        "down": sum(direction == "down" for direction, _ in steps),
    }
    return list_answer(snapshot, request, found, "calls", steps, hit)
