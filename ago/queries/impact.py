"""What an edit of one declaration can break: declarations, packages, tests.

Invariant: the declarations are those that name it, or call it through an interface; packages and
tests are those that reach it over any number of steps.
"""

from __future__ import annotations

from collections import Counter

from ago.facts import read
from ago.facts.satisfaction import PRECISION, load_satisfaction
from ago.protocol.requests import Impact
from ago.queries import reach
from ago.queries.page import list_answer, without_empty
from ago.queries.tests_for import list_tests
from ago.queries.uses import name_of, names_of, spell, symbol_hit
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Impact
EXAMPLE: dict[str, Json] = {"sym": "lib.Double"}


def answer(snapshot: Snapshot, request: Impact) -> dict[str, Json]:
    """Counts of `tests`, `reached` (declarations over any steps) and `packages`, then `count` and
    `declarations`: pkg, sym, pos, and the interface method (`through`) where it is not named
    itself; with `by_package` instead `reached_in`: pkg and how many are reached there."""
    address = resolve(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    start = read.find_symbol(db, address.pkg, address.sym) or 0
    satisfaction = load_satisfaction(db)
    users = reach.users(db, satisfaction)
    steps = reach.walk([start, *read.members_of(db, start)], users, 0)
    direct = [step for step in steps if step.depth == 1]
    names = names_of(db, (step.there for step in steps))
    packages = Counter(pkg for pkg, _ in names.values())
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "resolved": address.resolved or "",
        "precision": PRECISION,
        "tests": len(list_tests(db, satisfaction, [start], users)),
        "reached": len(steps),
        "packages": len(packages),
    }

    def hit(step: reach.Step) -> dict[str, Json]:
        through = spell(name_of(db, step.interface)) if step.interface else ""
        return without_empty({**symbol_hit(db, step.there), "through": through})

    if request.by_package:
        counts = sorted(packages.items(), key=lambda entry: (-entry[1], entry[0]))
        return list_answer(
            snapshot, request, found, "reached_in", counts, lambda c: {"pkg": c[0], "count": c[1]}
        )
    return list_answer(snapshot, request, found, "declarations", direct, hit)
