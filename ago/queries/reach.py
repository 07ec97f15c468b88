"""Reach: what leads to a declaration and where it leads, over calls, values and interfaces.

Invariant: a step is a use inside a declaration; a call through an interface leads to every method
that may stand for it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from ago.facts.satisfaction import Satisfaction
from ago.facts.store import ROLES
from ago.queries.uses import as_json, names_of

_OWNERS = (
    "SELECT DISTINCT o.symbol, o.parent FROM json_each(?) j CROSS JOIN object o"
    " ON o.symbol = j.value WHERE o.kind = 'method' AND o.parent != 0"
)

Neighbours = Callable[[Collection[int]], Mapping[int, list[tuple[int, int]]]]
"""Symbols -> for each (declaration next to it, interface method that is between them or 0): many at
once, since one SELECT costs as much as a thousand of its rows."""

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


def walk(starts: Iterable[int], neighbours: Neighbours, depth: int) -> list[Step]:
    """The steps to everything within `depth` (0: any), breadth first, each declaration once."""
    level = list(dict.fromkeys(starts))
    seen, steps, distance = set(level), list[Step](), 0
    while level and (not depth or distance < depth):
        distance += 1
        found = neighbours(level)
        following: list[int] = []
        for here in level:
            for there, interface in found.get(here, ()):
                if there not in seen:
                    seen.add(there)
                    following.append(there)
                    steps.append(Step(distance, here, there, interface))
        level = following
    return steps


def users(
    db: sqlite3.Connection, satisfaction: Satisfaction, roles: Collection[str] = ()
) -> Neighbours:
    """(declaration, interface method) pairs that use a symbol in some roles, or in any; what was
    found is kept for the next walk.

    With any role, a method that code outside the workspace may call, or that nothing is seen to
    call, is used by what uses its type.
    """
    direct = _DirectUsers(db, roles)
    known: dict[int, list[tuple[int, int]]] = {}

    def find(symbols: Collection[int]) -> None:
        through = {symbol: satisfaction.calling(symbol) for symbol in symbols}
        direct.load({*symbols}.union(*through.values()))
        for symbol, methods in through.items():
            known[symbol] = [(user, 0) for user in direct.of(symbol)]
            for method in direct.by_name(methods):
                known[symbol] += [(u, method) for u in direct.of(method) if u != symbol]
        if not roles:
            add_owners([s for s in symbols if s in satisfaction.outside or not known[s]])

    def add_owners(methods: list[int]) -> None:
        pairs = db.execute(_OWNERS, (as_json(methods),)).fetchall()
        direct.load({owner for _, owner in pairs})
        for method, owner in pairs:
            known[method] += [(u, owner) for u in direct.of(owner) if u != method]

    def neighbours(symbols: Collection[int]) -> Mapping[int, list[tuple[int, int]]]:
        if new := [symbol for symbol in symbols if symbol not in known]:
            find(new)
        return known

    return neighbours


class _DirectUsers:
    """The declarations that name a symbol, by package and name."""

    def __init__(self, db: sqlite3.Connection, roles: Collection[str]) -> None:
        self._db = db
        self._find = (
            'SELECT DISTINCT x.symbol, x.encl FROM json_each(?) j CROSS JOIN "use" x'
            " ON x.symbol = j.value WHERE x.encl != x.symbol AND x.encl != 0"
            f"{role_filter(roles)}"
        )
        self._users: dict[int, list[int]] = {}
        self._names: dict[int, tuple[str, str]] = {}

    def load(self, symbols: Collection[int]) -> None:
        """Find the users of symbols that were not asked for before."""
        new = [symbol for symbol in symbols if symbol not in self._users]
        self._users |= {symbol: [] for symbol in new}
        for symbol, user in self._db.execute(self._find, (as_json(new),)):
            self._users[symbol].append(user)
        named = {user for symbol in new for user in self._users[symbol]} | {*new}
        self._names |= names_of(self._db, named - self._names.keys())
        for symbol in new:
            self._users[symbol].sort(key=self._names.__getitem__)

    def of(self, symbol: int) -> list[int]:
        """The users of a symbol that was loaded."""
        return self._users[symbol]

    def by_name(self, symbols: Iterable[int]) -> list[int]:
        """Loaded symbols by package and name: their numbers come as the load went."""
        return sorted(symbols, key=self._names.__getitem__)


def used(db: sqlite3.Connection, satisfaction: Satisfaction, roles: Collection[str]) -> Neighbours:
    """(symbol, interface method) pairs that the declarations of a symbol use in some roles, in the
    order of the source."""
    find = (
        'SELECT x.encl, x.symbol FROM json_each(?) j CROSS JOIN "use" x ON x.encl = j.value'
        f" WHERE x.symbol != x.encl{role_filter(roles)} ORDER BY x.id"
    )

    def neighbours(symbols: Collection[int]) -> Mapping[int, list[tuple[int, int]]]:
        targets: dict[int, dict[int, None]] = {symbol: {} for symbol in symbols}
        for user, target in db.execute(find, (as_json(symbols),)):
            targets[user][target] = None
        run_by = {t: satisfaction.run_by(t) for called in targets.values() for t in called}
        names = names_of(db, set[int]().union(*run_by.values()))
        found: dict[int, list[tuple[int, int]]] = {}
        for user, called in targets.items():
            reached: dict[int, int] = {}
            for target in called:
                reached.setdefault(target, 0)
                for method in sorted(run_by[target], key=names.__getitem__):
                    reached.setdefault(method, target)
            found[user] = list(reached.items())
        return found

    return neighbours


def role_filter(roles: Collection[str]) -> str:
    """The SQL condition, behind another one, for uses in some roles; for none: in any real one."""
    negated = "" if roles else "NOT "
    numbers = (str(ROLES.index(role)) for role in roles or NO_USE)
    return f" AND role {negated}IN ({', '.join(numbers)})"
