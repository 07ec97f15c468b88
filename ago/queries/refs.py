"""Every reference to one object, tests and definition included, with the role of each.

Invariant: one hit for each place and role; ordered by file, line and column, so pages tile.
"""

from __future__ import annotations

from collections.abc import Iterator

from ago.facts.read import find_symbol
from ago.protocol.requests import Refs
from ago.queries.page import paginate, without_empty
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Refs

# Steps that no text stands for (a field that is reached through embedding, say) are no references
# to a reader; rename and proofs read them from the facts themselves.
_USES = (
    "SELECT DISTINCT p.path AS path, x.off AS off, x.line AS line, x.col AS col, x.role AS role,"
    ' x.encl AS encl, x.id >> 24 AS unit FROM "use" x JOIN path p ON p.id = x.path'
    " WHERE x.symbol = ? AND x.len > 0"
)
_HITS = (
    f"SELECT path, off, line, col, role, encl, min(unit) AS unit FROM ({_USES}) GROUP BY 1, 2, 5"
)


def answer(snapshot: Snapshot, request: Refs) -> dict[str, Json]:
    """`symbol`, `count` and `refs`: pos, role, and the declaration (`in`) and package it is in."""
    address = resolve(snapshot, request.pkg, request.sym, "any")
    db = snapshot.facts
    symbol = find_symbol(db, address.pkg, address.sym) or 0
    (count,) = db.execute(f"SELECT count(*) FROM ({_HITS})", (symbol,)).fetchone()
    rows = db.execute(
        f"SELECT h.path, h.line, h.col, r.name, coalesce(e.sym, ''), u.pkg, u.variant"
        f" FROM ({_HITS}) h JOIN role r ON r.id = h.role JOIN unit u ON u.id = h.unit"
        " LEFT JOIN symbol e ON e.id = h.encl ORDER BY h.path, h.off, h.role LIMIT -1 OFFSET ?",
        (symbol, request.offset),
    )
    hits: Iterator[dict[str, Json]] = (
        without_empty(
            {
                "pos": f"{path}:{line}:{col}",
                "role": role,
                "in": encl,
                "pkg": f"{pkg}_test" if variant == "xtest" else pkg,
                "def": role == "def",
            }
        )
        for path, line, col, role, encl, pkg, variant in rows
    )
    tokens = request.max_tokens or snapshot.budget_tokens
    found: dict[str, Json] = {"status": "ok", "symbol": address.symbol}
    if address.kind:
        found["kind"] = address.kind
    if address.resolved:
        found["resolved"] = address.resolved
    return found | paginate("refs", count, hits, request.offset, tokens)
