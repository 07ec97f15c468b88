"""Uses of one object as queries show them: where, in what role, in which declaration.

Invariant: one use for each place and role, ordered by file, place and role, so pages tile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ago.facts.load import UNIT_SHIFT
from ago.facts.store import ROLES
from grammar_ops.reject import Json

CALLS = ("call", "go", "defer")
"""Roles of a function that is called where it is named."""

# Steps that no text stands for (a field that is reached through embedding, say) are no references
# to a reader; rename and proofs read them from the facts themselves.
_USES = (
    f'SELECT path, off, line, col, role, encl, encl_init, id >> {UNIT_SHIFT} FROM "use"'
    " WHERE symbol = ? AND (len > 0 OR ?) ORDER BY id"
)


class Use(NamedTuple):
    """One use: 1-based line, byte column; numbers of the enclosing symbol and of the unit."""

    path: str
    off: int
    role: str
    line: int
    col: int
    encl: int
    in_initialiser: bool
    unit: int

    @property
    def pos(self) -> str:
        """Where it stands, as the wire writes it."""
        return f"{self.path}:{self.line}:{self.col}"


def list_uses(
    db: sqlite3.Connection, symbol: int, roles: Collection[str] = (), *, implicit: bool = False
) -> list[Use]:
    """The uses of a symbol, of some roles or of all; a file that two variants checked speaks
    once. `implicit` ones have no letters: the fields of an unkeyed literal."""
    wanted = {ROLES.index(role) for role in roles}
    every = db.execute(_USES, (symbol, implicit))
    rows = [row for row in every if not wanted or row[4] in wanted]
    find = "SELECT path FROM path WHERE id = ?"
    paths = {n: str(db.execute(find, (n,)).fetchone()[0]) for n in {row[0] for row in rows}}
    found: dict[tuple[int, int, int], Use] = {}
    for path, off, line, col, role, encl, init, unit in rows:
        use = Use(paths[path], off, ROLES[role], line, col, encl, bool(init), unit)
        found.setdefault((path, off, role), use)
    return sorted(found.values(), key=lambda u: (u.path, u.off, ROLES.index(u.role)))


def name_of(db: sqlite3.Connection, symbol: int) -> tuple[str, str]:
    """(package, address in it) of a symbol; empty ones for number 0."""
    row = db.execute("SELECT pkg, sym FROM symbol WHERE id = ?", (symbol,)).fetchone()
    return (row[0], row[1]) if row else ("", "")


def names_of(db: sqlite3.Connection, symbols: Iterable[int]) -> dict[int, tuple[str, str]]:
    """(package, address in it) of each symbol that is known."""
    find = "SELECT s.id, s.pkg, s.sym FROM json_each(?) j CROSS JOIN symbol s ON s.id = j.value"
    rows = db.execute(find, (as_json(symbols),))
    return {symbol: (pkg, sym) for symbol, pkg, sym in rows}


def spell(name: tuple[str, str]) -> str:
    """A package and an address in it as one; what is predeclared or has no name stands alone."""
    return ".".join(filter(None, name))


def as_json(numbers: Iterable[int]) -> str:
    """Numbers as the list that SQL reads with `json_each`."""
    return str([*numbers])


def by_address(db: sqlite3.Connection, symbols: Collection[int]) -> list[int]:
    """Symbols by package and name: their numbers come as the load went."""
    return sorted(symbols, key=names_of(db, symbols).__getitem__)


def package_of(db: sqlite3.Connection, use: Use) -> str:
    """The package that a use stands in, an external test package by its own name."""
    find = "SELECT pkg, variant FROM unit WHERE id = ?"
    pkg, variant = db.execute(find, (use.unit,)).fetchone()
    return f"{pkg}_test" if variant == "xtest" else str(pkg)


def where_declared(db: sqlite3.Connection, symbol: int) -> str:
    """Where a symbol of the workspace is declared, as the wire writes it; "" for any other."""
    row = db.execute(
        "SELECT p.path, o.name_line, o.name_col FROM object o JOIN path p ON p.id = o.path"
        " WHERE o.symbol = ? ORDER BY p.path, o.name_off LIMIT 1",
        (symbol,),
    ).fetchone()
    return f"{row[0]}:{row[1]}:{row[2]}" if row else ""


def symbol_hit(db: sqlite3.Connection, symbol: int) -> dict[str, Json]:
    """A symbol as an entry of a list: pkg, sym and, where the workspace declares it, pos."""
    pkg, sym = name_of(db, symbol)
    hit: dict[str, Json] = {"pkg": pkg, "sym": sym} if pkg else {"sym": sym}
    if pos := where_declared(db, symbol):
        hit["pos"] = pos
    return hit
