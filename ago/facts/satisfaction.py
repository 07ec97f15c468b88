"""Satisfaction: which methods of types may be what a call of an interface method runs.

Invariant: by method sets alone (class hierarchy analysis), so an edge may be one that no run takes;
whatever some instantiation may satisfy counts. Interfaces without a name count as others do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from ago.facts.families import fits
from ago.facts.read import OF_INTERFACE, UNNAMED
from ago.facts.states import PerState

PRECISION = "interface calls by method sets (CHA)"
"""How exact every answer is that follows interface calls."""


@dataclass(frozen=True)
class Satisfaction:
    """Interface methods and the methods that stand for them, by symbol numbers."""

    down: Mapping[int, frozenset[int]]
    """Method of an interface -> methods of types that satisfy it."""
    up: Mapping[int, frozenset[int]]
    """Method of a type -> interface methods whose calls may run it."""
    outside: frozenset[int]
    """Methods of types that stand for a method of an interface outside the workspace."""

    def run_by(self, method: int) -> set[int]:
        """The methods that a call of this one may run, also those behind an embedded interface."""
        return _closure(self.down, method)

    def calling(self, method: int) -> set[int]:
        """The interface methods whose calls may come to this one."""
        return _closure(self.up, method)


def load_satisfaction(db: sqlite3.Connection) -> Satisfaction:
    """All of it: tens of milliseconds for thousands of types, once for each state of the facts."""
    return _STATES.of(db)


_HERE = (
    "SELECT symbol FROM object WHERE kind = 'type' UNION SELECT id FROM symbol"
    f" WHERE sym LIKE '%{UNNAMED}'"
)
"""The types of the workspace, those without a declaration too."""


def _read(db: sqlite3.Connection) -> Satisfaction:
    sets, interfaces = _method_sets(db)
    having: dict[str, list[int]] = {}
    for owner, methods in sets.items():
        for ident in methods:
            having.setdefault(ident, []).append(owner)
    here = {s for (s,) in db.execute(_HERE)}
    down: dict[int, set[int]] = {}
    up: dict[int, set[int]] = {}
    outside = set[int]()
    for interface in interfaces:
        wanted = sets[interface]
        rarest = min(wanted, key=lambda ident: len(having[ident]))
        for owner in having[rarest]:
            if owner in interfaces or not _fits(wanted, sets[owner]):
                continue
            for ident, (_, method) in wanted.items():
                runs = sets[owner][ident][1]
                if runs != method and runs and method:
                    down.setdefault(method, set()).add(runs)
                    up.setdefault(runs, set()).add(method)
                    outside |= set() if interface in here else {runs}
    return Satisfaction(_frozen(down), _frozen(up), frozenset(outside))


def _method_sets(
    db: sqlite3.Connection,
) -> tuple[dict[int, dict[str, tuple[str, int]]], set[int]]:
    """type -> {identity: (signature, method)}, and which of the types are interfaces."""
    sets: dict[int, dict[str, tuple[str, int]]] = {}
    interfaces = set[int]()
    for owner, ident, sig, ptr, method in db.execute(
        "SELECT DISTINCT type, ident, sig, ptr, method FROM method"
    ):
        sets.setdefault(owner, {})[ident] = (sig, method)
        if ptr == OF_INTERFACE:
            interfaces.add(owner)
    return sets, interfaces


def _fits(wanted: Mapping[str, tuple[str, int]], has: Mapping[str, tuple[str, int]]) -> bool:
    if not wanted.keys() <= has.keys():
        return False
    signatures = {ident: sig for ident, (sig, _) in wanted.items()}
    return fits(signatures, {ident: has[ident][0] for ident in wanted})


def _closure(edges: Mapping[int, frozenset[int]], method: int) -> set[int]:
    """What edges lead to; a struct that embeds an interface has methods that are edges again."""
    found, todo = set[int](), [method]
    while todo:
        new = edges.get(todo.pop(), frozenset()) - found
        found |= new
        todo += new
    return found - {method}


def _frozen(edges: Mapping[int, set[int]]) -> dict[int, frozenset[int]]:
    return {method: frozenset(found) for method, found in edges.items()}


NOTHING = Satisfaction({}, {}, frozenset())
"""No interface leads anywhere."""

_STATES = PerState(_read)
