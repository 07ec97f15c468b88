"""The tests that reach one declaration, nearest first.

Invariant: over every kind of use (a type by its values, a constant by its readers), through
interfaces by method sets and through package initialisers, so a test that could fail by an edit of
the declaration is among them.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ago.facts.read import find_symbol
from ago.facts.satisfaction import NOTHING, PRECISION, Satisfaction, load_satisfaction
from ago.protocol.requests import TestsFor
from ago.queries import reach
from ago.queries.importers import reaching
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import name_of, where_declared
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax.names import run_kind

REQUEST = TestsFor
EXAMPLE: dict[str, Json] = {"sym": "lib.Double"}


def answer(snapshot: Snapshot, request: TestsFor) -> dict[str, Json]:
    """`count`, `packages` and `tests`: pkg, sym, pos, depth, and `by` for a test that only an
    initialiser or TestMain ties to the declaration."""
    address = resolve(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    start = find_symbol(db, address.pkg, address.sym) or 0
    found = list_tests(db, load_satisfaction(db), [start])
    told: dict[str, Json] = {
        "symbol": address.symbol,
        "resolved": address.resolved or "",
        "precision": PRECISION,
        "packages": len({test.pkg for test in found}),
    }
    return list_answer(snapshot, request, told, "tests", found, lambda test: _hit(db, test))


class ReachingTest(NamedTuple):
    """A test by its distance from the declaration."""

    depth: int
    pkg: str
    sym: str
    symbol: int
    by: str
    """The initialiser or TestMain that ties the whole package to the declaration, "" for none."""


def _hit(db: sqlite3.Connection, test: ReachingTest) -> dict[str, Json]:
    hit: dict[str, Json] = {"pkg": test.pkg, "sym": test.sym}
    hit |= {"pos": where_declared(db, test.symbol), "depth": test.depth, "by": test.by}
    return without_empty(hit)


def list_tests(
    db: sqlite3.Connection, satisfaction: Satisfaction, starts: list[int]
) -> list[ReachingTest]:
    """The tests that reach one of some symbols, nearest first.

    What `init` or a package variable's initialiser reaches runs in every test of the packages that
    import theirs; what TestMain reaches, in every test of its package.
    """
    steps = reach.walk(starts, reach.users(db, satisfaction), 0)
    reached = [(0, start) for start in starts] + [(step.depth, step.there) for step in steps]
    found: dict[int, ReachingTest] = {}
    ties: dict[str, tuple[int, str]] = {}
    for depth, symbol in reached:
        pkg, sym = name_of(db, symbol)
        kind, in_test = _kind(db, symbol)
        runs = run_kind(sym, in_test, in_main=False) if kind == "func" else ""
        if runs == "TestMain":
            ties.setdefault(pkg, (depth, f"{pkg}.TestMain"))
        elif runs and runs != "init":
            found.setdefault(symbol, ReachingTest(depth, pkg, sym, symbol, ""))
        elif runs == "init" or (kind == "var" and depth and _calls(db, symbol)):
            for path in {pkg, *reaching(db, pkg)}:
                ties.setdefault(path, (depth, f"{pkg}.{sym}"))
    for pkg, (depth, by) in ties.items():
        for symbol, sym in tests_of(db, pkg):
            found.setdefault(symbol, ReachingTest(depth + 1, pkg, sym, symbol, by))
    return sorted(found.values())


def _kind(db: sqlite3.Connection, symbol: int) -> tuple[str, bool]:
    """Kind of a declared symbol, and whether a test file declares it."""
    row = db.execute(
        "SELECT o.kind, p.path FROM object o JOIN path p ON p.id = o.path WHERE o.symbol = ?"
        " ORDER BY o.id LIMIT 1",
        (symbol,),
    ).fetchone()
    return (row[0], row[1].endswith("_test.go")) if row else ("", False)


def _calls(db: sqlite3.Connection, variable: int) -> bool:
    """Whether the initialiser of a package variable calls anything."""
    return bool(reach.used(db, NOTHING, ("call",))(variable))


def tests_of(db: sqlite3.Connection, pkg: str) -> list[tuple[int, str]]:
    """(symbol, name) of every test of a package, its external ones too."""
    rows = db.execute(
        "SELECT DISTINCT s.id, s.sym FROM symbol s JOIN object o ON o.symbol = s.id"
        " JOIN path p ON p.id = o.path WHERE s.pkg IN (?, ?) AND o.kind = 'func'"
        " AND p.path LIKE '%\\_test.go' ESCAPE '\\' ORDER BY s.pkg, s.sym",
        (pkg, f"{pkg}_test"),
    )
    return [
        (n, sym) for n, sym in rows if run_kind(sym, True, False) not in ("", "init", "TestMain")
    ]
