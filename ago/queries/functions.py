"""Functions as the address of a question, and what each of them calls.

Invariant: calls are in source order, repetitions kept; conversions, built-in functions and calls of
function values are no calls of a function.
"""

from __future__ import annotations

import sqlite3

from ago.facts import read
from ago.facts.load import UNIT_SHIFT
from ago.facts.read import ObjectRecord
from ago.facts.store import ROLES
from ago.queries.uses import CALLS, Use
from ago.workspace.address import Address, resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Reject

FUNCTIONS = ("func", "method", "interface_method")

_CALLS_OF = (
    'SELECT p.path, x.off, x.role, x.line, x.col, x.symbol, x.encl_init, x.id FROM "use" x'
    " JOIN path p ON p.id = x.path WHERE x.encl = ? AND x.len > 0"
    f" AND x.role IN ({', '.join(str(ROLES.index(r)) for r in CALLS)})"
    " AND NOT EXISTS (SELECT 1 FROM object o WHERE o.symbol = x.symbol"
    f" AND o.kind NOT IN {FUNCTIONS}) ORDER BY x.id"
)


def resolve_function(snapshot: Snapshot, pkg: str, sym: str) -> tuple[Address, ObjectRecord]:
    """The function or method addressed, also of an interface; else Reject(not_a_function)."""
    address = resolve(snapshot, pkg, sym)
    records = read.find_objects(snapshot.facts, address.pkg, address.sym)
    if not records or records[0].kind not in FUNCTIONS:
        kind = records[0].kind if records else address.kind
        raise Reject("not_a_function", f"{address.symbol} is a {kind}")
    return address, records[0]


def list_calls(db: sqlite3.Connection, caller: int) -> list[tuple[Use, int]]:
    """(use, called symbol) of each call in the declarations of a symbol."""
    found: dict[tuple[str, int], tuple[Use, int]] = {}
    for path, off, role, line, col, symbol, init, number in db.execute(_CALLS_OF, (caller,)):
        use = Use(path, off, ROLES[role], line, col, caller, bool(init), number >> UNIT_SHIFT)
        found.setdefault((path, off), (use, symbol))
    return sorted(found.values(), key=lambda call: (call[0].path, call[0].off))
