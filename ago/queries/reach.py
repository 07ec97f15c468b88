"""Reach: what leads to a declaration and where it leads, over calls, values and interfaces.

Invariant: a step is a use inside a declaration; a call through an interface leads to every method
that may stand for it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from ago.facts.satisfaction import Satisfaction
from ago.facts.store import ROLES
from ago.queries.uses import by_address

_OWNER = "SELECT DISTINCT parent FROM object WHERE symbol = ? AND kind = 'method' AND parent != 0"

CALLING = ("call", "go", "defer", "value", "method_value")
"""Roles by which a function may come to run."""
NO_USE = ("def", "doc_link", "doc_name", "import")
"""Roles in which a name has no effect on the declaration around it."""


class Step(NamedTuple):
    """One edge of a walk, by symbol numbers, away from where it began."""

    depth: int
    here: int
    there: int
    interface: int
    """The interface method that the step goes through, 0 for none."""


def walk(
    starts: Iterable[int], neighbours: Callable[[int], list[tuple[int, int]]], depth: int
) -> list[Step]:
    """The steps to everything within `depth` (0: any), breadth first, each declaration once."""
    level = list(dict.fromkeys(starts))
    seen, steps, distance = set(level), list[Step](), 0
    while level and (not depth or distance < depth):
        distance += 1
        following: list[int] = []
        for here in level:
            for there, interface in neighbours(here):
                if there not in seen:
                    seen.add(there)
                    following.append(there)
                    steps.append(Step(distance, here, there, interface))
        level = following
    return steps


def users(
    db: sqlite3.Connection, satisfaction: Satisfaction, roles: Collection[str] = ()
) -> Callable[[int], list[tuple[int, int]]]:
    """(declaration, interface method) pairs that use a symbol in some roles, or in any.

    With any role, a method that code outside the workspace may call, or that nothing is seen to
    call, is used by what uses its type.
    """
    wanted = role_filter(roles)
    find = (
        'SELECT DISTINCT x.encl FROM "use" x JOIN symbol s ON s.id = x.encl'
        f" WHERE x.symbol = ? AND x.encl != ?{wanted} ORDER BY s.pkg, s.sym"
    )

    def neighbours(symbol: int) -> list[tuple[int, int]]:
        found = [(encl, 0) for (encl,) in db.execute(find, (symbol, symbol))]
        for method in by_address(db, satisfaction.up.get(symbol, ())):
            found += [(encl, method) for (encl,) in db.execute(find, (method, symbol))]
        if not roles and (symbol in satisfaction.outside or not found):
            for (owner,) in db.execute(_OWNER, (symbol,)).fetchall():
                found += [(encl, owner) for (encl,) in db.execute(find, (owner, symbol))]
        return found

    return neighbours


def used(
    db: sqlite3.Connection, satisfaction: Satisfaction, roles: Collection[str]
) -> Callable[[int], list[tuple[int, int]]]:
    """(symbol, interface method) pairs that the declarations of a symbol use in some roles, in the
    order of the source."""
    find = f'SELECT symbol FROM "use" WHERE encl = ? AND symbol != encl{role_filter(roles)}'
    find += " ORDER BY id"

    def neighbours(symbol: int) -> list[tuple[int, int]]:
        found: dict[int, int] = {}
        for (target,) in db.execute(find, (symbol,)):
            if target not in found:
                found[target] = 0
                for method in by_address(db, satisfaction.down.get(target, ())):
                    found.setdefault(method, target)
        return list(found.items())

    return neighbours


def role_filter(roles: Collection[str]) -> str:
    """The SQL condition, behind another one, for uses in some roles; for none: in any real one."""
    negated = "" if roles else "NOT "
    numbers = (str(ROLES.index(role)) for role in roles or NO_USE)
    return f" AND role {negated}IN ({', '.join(numbers)})"
