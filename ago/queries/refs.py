"""Every reference to one object, tests and definition included, with the role of each.

Invariant: one hit for each place and role; ordered by file, line and column, so pages tile.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ago.facts.read import find_symbol
from ago.facts.store import ROLES
from ago.protocol.requests import Refs
from ago.queries.page import paginate, without_empty
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Refs

# Steps that no text stands for (a field that is reached through embedding, say) are no references
# to a reader; rename and proofs read them from the facts themselves.
_USES = (
    'SELECT path, off, line, col, role, encl, id >> 24 FROM "use"'
    " WHERE symbol = ? AND len > 0 ORDER BY id"
)


class _Use(NamedTuple):
    path: str
    off: int
    role: int
    line: int
    col: int
    encl: int
    unit: int


def answer(snapshot: Snapshot, request: Refs) -> dict[str, Json]:
    """`symbol`, `count` and `refs`: pos, role, and the declaration (`in`) and package it is in."""
    address = resolve(snapshot, request.pkg, request.sym, "any")
    db = snapshot.facts
    uses = _uses(db, find_symbol(db, address.pkg, address.sym) or 0)
    snapshot.verify(use.path for use in uses)
    hits = (_hit(db, use) for use in uses[request.offset :])
    tokens = request.max_tokens or snapshot.budget_tokens
    found: dict[str, Json] = {"status": "ok", "symbol": address.symbol}
    if address.kind:
        found["kind"] = address.kind
    if address.resolved:
        found["resolved"] = address.resolved
    return found | paginate("refs", len(uses), hits, request.offset, tokens)


def _uses(db: sqlite3.Connection, symbol: int) -> list[_Use]:
    """Uses by file, place and role; a file that two variants checked speaks once."""
    rows = db.execute(_USES, (symbol,)).fetchall()
    find = "SELECT path FROM path WHERE id = ?"
    paths = {n: db.execute(find, (n,)).fetchone()[0] for n in {row[0] for row in rows}}
    found: dict[tuple[int, int, int], _Use] = {}
    for path, off, line, col, role, encl, unit in rows:
        found.setdefault((path, off, role), _Use(paths[path], off, role, line, col, encl, unit))
    return sorted(found.values())


def _hit(db: sqlite3.Connection, use: _Use) -> dict[str, Json]:
    encl = db.execute("SELECT sym FROM symbol WHERE id = ?", (use.encl,)).fetchone()
    find = "SELECT pkg, variant FROM unit WHERE id = ?"
    pkg, variant = db.execute(find, (use.unit,)).fetchone()
    return without_empty(
        {
            "pos": f"{use.path}:{use.line}:{use.col}",
            "role": ROLES[use.role],
            "in": encl[0] if encl else "",
            "pkg": f"{pkg}_test" if variant == "xtest" else pkg,
            "def": ROLES[use.role] == "def",
        }
    )
