"""Who assigns one field or variable, by statement, literal or address taken.

Invariant: a place where the address is taken may write; it is told apart by its role.
"""

from __future__ import annotations

from ago.facts import read
from ago.protocol.requests import Writes
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import Use, list_uses, name_of, package_of
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register("queries", {"not_a_variable": "the question is about a field or variable"})

REQUEST = Writes
EXAMPLE: dict[str, Json] = {"sym": "lib.Store.sum"}

_ROLES = ("write", "key", "unkeyed", "address")


def answer(snapshot: Snapshot, request: Writes) -> dict[str, Json]:
    """`count` and `writes`: pos, role (write, key or unkeyed of a literal, address), pkg and the
    declaration (`in`)."""
    address = resolve(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    records = read.find_objects(db, address.pkg, address.sym)
    if not records or records[0].kind not in ("field", "var"):
        kind = records[0].kind if records else address.kind
        raise Reject("not_a_variable", f"{address.symbol} is a {kind}")
    uses = list_uses(db, records[0].symbol, _ROLES, implicit=True)
    snapshot.verify(use.path for use in uses)

    def hit(use: Use) -> dict[str, Json]:
        return without_empty(
            {
                "pos": use.pos,
                "role": use.role,
                "in": name_of(db, use.encl)[1],
                "pkg": package_of(db, use),
            }
        )

    found: dict[str, Json] = {"symbol": address.symbol, "resolved": address.resolved or ""}
    return list_answer(snapshot, request, found, "writes", uses, hit)
