"""The types that implement an interface, or the interfaces that a type implements.

Invariant: by method sets, of the pointer where the value's is not enough; test-only types, other
interfaces and the interfaces of dependencies that the workspace mentions count too.
Invariant: a generic type or interface fits when its signatures can be made equal by one choice of
type arguments; their constraints are not looked at, and such an entry says `generic`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from ago.facts import read
from ago.facts.families import fits
from ago.facts.read import UNNAMED
from ago.protocol.requests import Implementations
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import by_address, symbol_hit
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject

REQUEST = Implementations
EXAMPLE: dict[str, Json] = {"sym": "sig.Job"}

_WITH_METHOD = (
    "SELECT DISTINCT m.type FROM method m JOIN symbol s ON s.id = m.type"
    f" WHERE s.sym NOT LIKE '%{UNNAMED}'"
)
"""Types without a declaration are no answer: there is no place to go to."""

_NO_METHODS = "by method sets: it has no methods, and what its type set admits is not listed"

Methods = Mapping[str, tuple[str, int]]
"""Method identity -> (canonical signature, of the value, the pointer or an interface)."""


def answer(snapshot: Snapshot, request: Implementations) -> dict[str, Json]:
    """`direction`, `count` and `types` or `interfaces`: pkg, sym, pos, `pointer` where only *T
    implements, `generic` where some instantiation does; for a method, the methods."""
    address = resolve(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    records = read.find_objects(db, address.pkg, address.sym)
    if not records or records[0].kind not in ("type", "alias", "method", "interface_method"):
        kind = records[0].kind if records else address.kind
        raise Reject("not_a_type", f"{address.symbol} is a {kind}")
    record = records[0]
    owner, member = record.symbol, ""
    if record.kind.endswith("method"):
        type_name, _, member = record.sym.rpartition(".")
        owner = read.find_symbol(db, record.pkg, type_name) or 0
        if record.kind == "interface_method" and not _is_interface(db, owner):
            owner = _owner_without_name(db, record.symbol)
    bare = not member and record.type.startswith("interface") and not _methods(db, owner)
    down = bare or _is_interface(db, owner)
    hits = list(_fitting(db, owner, down=down, member=member))
    key = "types" if down else "interfaces"
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "resolved": address.resolved or "",
        "direction": "interface_to_types" if down else "type_to_interfaces",
        "precision": _NO_METHODS if bare else "",
    }
    return list_answer(snapshot, request, without_empty(found), key, hits, lambda hit: hit)


def _fitting(
    db: sqlite3.Connection, owner: int, *, down: bool, member: str
) -> Iterator[dict[str, Json]]:
    own = _methods(db, owner)
    told = {_member(db, owner, member)} if member else set[int]()
    for other in _candidates(db, owner, own, down=down):
        theirs = _methods(db, other)
        wanted, has = (own, theirs) if down else (theirs, own)
        fit = _satisfies(wanted, has)
        if fit is None:
            continue
        symbol = _member(db, other, member) if member else other
        if not symbol or symbol in told:
            continue
        told.add(symbol)
        pointer = any(has[ident][1] == read.OF_POINTER for ident in wanted)
        interface = down and _is_interface(db, other)
        yield without_empty(
            symbol_hit(db, symbol)
            | {"pointer": pointer, "generic": fit == "generic", "interface": interface}
        )


def _candidates(db: sqlite3.Connection, owner: int, own: Methods, *, down: bool) -> list[int]:
    """Types with the rarest method of an interface; or interfaces with any method of a type."""
    if not own:
        return []
    if down:
        rarest = min(own, key=lambda ident: _count(db, ident))
        rows = db.execute(f"{_WITH_METHOD} AND m.ident = ?", (rarest,))
        return by_address(db, {t for (t,) in rows} - {owner})
    found = set[int]()
    find = f"{_WITH_METHOD} AND m.ident = ? AND m.ptr = {read.OF_INTERFACE}"
    for ident in own:
        found |= {t for (t,) in db.execute(find, (ident,))}
    return by_address(db, found - {owner})


def _count(db: sqlite3.Connection, ident: str) -> int:
    (count,) = db.execute("SELECT count(*) FROM method WHERE ident = ?", (ident,)).fetchone()
    return int(count)


def _methods(db: sqlite3.Connection, owner: int) -> Methods:
    rows = db.execute("SELECT ident, sig, ptr FROM method WHERE type = ?", (owner,))
    return {ident: (sig, ptr) for ident, sig, ptr in rows}


def _is_interface(db: sqlite3.Connection, symbol: int) -> bool:
    """Whether a type with methods is an interface, be it of the workspace or of a dependency."""
    row = db.execute("SELECT ptr FROM method WHERE type = ? LIMIT 1", (symbol,)).fetchone()
    return row is not None and row[0] == read.OF_INTERFACE


def _owner_without_name(db: sqlite3.Connection, method: int) -> int:
    """The interface of a method that a parameter or field writes out, 0 when nothing is known."""
    row = db.execute(
        "SELECT m.type FROM method m JOIN symbol s ON s.id = m.type WHERE m.method = ?"
        f" AND s.sym LIKE '%{UNNAMED}' AND m.ptr = {read.OF_INTERFACE} ORDER BY s.sym LIMIT 1",
        (method,),
    ).fetchone()
    return int(row[0]) if row else 0


def _member(db: sqlite3.Connection, owner: int, name: str) -> int:
    row = db.execute(
        "SELECT method FROM method WHERE type = ? AND name = ? ORDER BY id LIMIT 1", (owner, name)
    ).fetchone()
    return int(row[0]) if row else 0


def _satisfies(wanted: Methods, has: Methods) -> str | None:
    """`exact`, `generic`, or None: whether the methods of an interface are among a type's."""
    one, other = _signatures(wanted), _signatures(has)
    if not fits(one, other):
        return None
    return "exact" if one.items() <= other.items() else "generic"


def _signatures(methods: Methods) -> dict[str, str]:
    return {ident: sig for ident, (sig, _) in methods.items()}
