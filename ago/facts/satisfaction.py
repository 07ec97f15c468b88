"""Satisfaction: which methods of types may be what a call of an interface method runs.

Invariant: by method sets alone (class hierarchy analysis), so an edge may be one that no run takes;
whatever some instantiation may satisfy counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from ago.facts.families import fits
from ago.facts.read import OF_INTERFACE
from ago.facts.store import STATE, read_meta

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


_RECENT: dict[str, Satisfaction] = {}
_KEPT = 2
"""States of facts (a workspace's own, one that is read while the next is written) kept in mind."""


def load_satisfaction(db: sqlite3.Connection) -> Satisfaction:
    """All of it: tens of milliseconds for thousands of types, once for each state of the facts."""
    state = read_meta(db, STATE)
    found = _RECENT.get(state) if state else None
    if found is None:
        found = _read(db)
        if state:
            _RECENT[state] = found
        for old in list(_RECENT)[:-_KEPT]:
            _RECENT.pop(old, None)
    return found


def _read(db: sqlite3.Connection) -> Satisfaction:
    sets, interfaces = _method_sets(db)
    having: dict[str, list[int]] = {}
    for owner, methods in sets.items():
        for ident in methods:
            having.setdefault(ident, []).append(owner)
    here = {s for (s,) in db.execute("SELECT DISTINCT symbol FROM object WHERE kind = 'type'")}
    down: dict[int, set[int]] = {}
    up: dict[int, set[int]] = {}
    outside = set[int]()
    for interface in interfaces:
        wanted = sets[interface]
        rarest = min(wanted, key=lambda ident: len(having[ident]))
        for owner in having[rarest]:
            if owner == interface or not _fits(wanted, sets[owner]):
                continue
            for ident, (_, method) in wanted.items():
                runs = sets[owner][ident][1]
                if runs != method:
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
        "SELECT type, ident, sig, ptr, method FROM method ORDER BY type, id"
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


def _frozen(edges: Mapping[int, set[int]]) -> dict[int, frozenset[int]]:
    return {method: frozenset(found) for method, found in edges.items()}


NOTHING = Satisfaction({}, {}, frozenset())
"""No interface leads anywhere."""
