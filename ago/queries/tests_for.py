"""The tests that reach one declaration, nearest first.

Invariant: over every kind of use (a type by its values, a constant by its readers), through
interfaces by method sets and through package initialisers, so a test that could fail by an edit of
the declaration is among them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ago.facts.load import UNIT_SHIFT
from ago.facts.read import find_symbol
from ago.facts.satisfaction import NOTHING, PRECISION, Satisfaction, load_satisfaction
from ago.facts.states import PerState
from ago.protocol.requests import TestsFor
from ago.queries import reach
from ago.queries.importers import reaching
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import as_json, where_declared
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax.names import run_kind

_INITIALISED = (
    'SELECT DISTINCT x.symbol, u.pkg, u.variant FROM "use" x JOIN unit u'
    f" ON u.id = x.id >> {UNIT_SHIFT} WHERE x.encl = 0 AND x.encl_init{reach.role_filter(())}"
)

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
    db: sqlite3.Connection,
    satisfaction: Satisfaction,
    starts: list[int],
    users: reach.Neighbours | None = None,
) -> list[ReachingTest]:
    """The tests that reach one of some symbols, nearest first; `users`, where they were walked.

    What `init` or a package variable's initialiser reaches runs in every test of the packages that
    import theirs; what TestMain reaches, in every test of its package.
    """
    steps = reach.walk(starts, users or reach.users(db, satisfaction), 0)
    depths = dict.fromkeys(starts, 0) | {step.there: step.depth for step in steps}
    declared = _declared(db, depths)
    calling = reach.used(db, NOTHING, ("call",))([d.symbol for d in declared if d.kind == "var"])
    found: dict[int, ReachingTest] = {}
    ties: dict[str, tuple[int, str]] = {}
    initialised = _STATES.of(db)

    running = cache(lambda pkg: {pkg, *reaching(db, pkg)})

    def tie(pkgs: Iterable[str], depth: int, by: str) -> None:
        for pkg in pkgs:
            ties.setdefault(pkg, (depth, by))

    for one in declared:
        depth, pkg = depths[one.symbol], one.pkg
        runs = run_kind(one.sym, one.in_test, in_main=False) if one.kind == "func" else ""
        if runs == "TestMain":
            tie([pkg.removesuffix("_test")], depth, f"{pkg}.TestMain")
        elif runs:
            found.setdefault(one.symbol, ReachingTest(depth, pkg, one.sym, one.symbol, ""))
        elif one.kind == "var" and depth and calling[one.symbol]:
            tie(running(pkg), depth, f"{pkg}.{one.sym}")
        for symbol in (one.symbol, *satisfaction.calling(one.symbol)):
            for home, in_test in initialised.get(symbol, ()):
                tie([home] if in_test else running(home), depth + 1, f"{home}.init")
    for test in tests_of(db, ties):
        depth, by = ties[test.pkg]
        found.setdefault(test.symbol, test._replace(depth=depth + 1, by=by))
    return sorted(found.values())


def _initialised(db: sqlite3.Connection) -> dict[int, list[tuple[str, bool]]]:
    """Symbol -> the packages whose `init` functions and nameless variables use it, and whether
    only those of its tests do."""
    found: dict[int, list[tuple[str, bool]]] = {}
    for symbol, pkg, variant in db.execute(_INITIALISED):
        found.setdefault(symbol, []).append((pkg, variant != ""))
    return found


_STATES = PerState(_initialised)


class _Declared(NamedTuple):
    """A reached symbol as the workspace declares it."""

    symbol: int
    pkg: str
    sym: str
    kind: str
    in_test: bool


def _declared(db: sqlite3.Connection, symbols: Iterable[int]) -> list[_Declared]:
    """Those of some symbols that the workspace declares, in their order."""
    rows = db.execute(
        "SELECT o.symbol, s.pkg, s.sym, o.kind, p.path FROM json_each(?) j"
        " CROSS JOIN object o ON o.symbol = j.value JOIN symbol s ON s.id = o.symbol"
        " JOIN path p ON p.id = o.path ORDER BY j.key, o.id",
        (as_json(symbols),),
    )
    found: dict[int, _Declared] = {}
    for symbol, pkg, sym, kind, path in rows:
        one = _Declared(symbol, pkg, sym, kind, path.endswith("_test.go"))
        found.setdefault(symbol, one)
    return list(found.values())


def tests_of(db: sqlite3.Connection, pkgs: Iterable[str]) -> list[ReachingTest]:
    """Every test of some packages, the external ones too, as one that is tied to its package."""
    rows = db.execute(
        "SELECT DISTINCT j.value, s.sym, s.id FROM json_each(?) j"
        " CROSS JOIN symbol s ON s.pkg IN (j.value, j.value || '_test')"
        " JOIN object o ON o.symbol = s.id JOIN path p ON p.id = o.path"
        " WHERE o.kind = 'func' AND p.path LIKE '%\\_test.go' ESCAPE '\\'"
        " ORDER BY j.key, s.pkg, s.sym",
        (json.dumps([*pkgs]),),
    )
    tests = (ReachingTest(0, pkg, sym, symbol, pkg) for pkg, sym, symbol in rows)
    return [t for t in tests if run_kind(t.sym, True, False) not in ("", "init", "TestMain")]
