"""What one function may do beside computing: files, network, processes, panics, goroutines.

Invariant: each effect is told once for each function that has it, nearest first, by a shortest path
of calls; an interface call leads to every method that may stand for it, a function that is handed
on counts as called. Another module is `unknown`, and told once, last.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from ago.facts.satisfaction import PRECISION, load_satisfaction
from ago.protocol.requests import Effects
from ago.queries import reach
from ago.queries.functions import resolve_function
from ago.queries.imports import origin_of
from ago.queries.outside import effect_of
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import as_json, name_of, names_of, spell
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register("queries", {"unknown_effect": "there is no effect of that name"})

REQUEST = Effects
EXAMPLE: dict[str, Json] = {"sym": "main"}

EFFECTS = ("files", "network", "exec", "panic", "go", "unknown")
_STATEMENTS = (
    "SELECT e.encl, e.form, p.path, e.line, e.col FROM json_each(?) j CROSS JOIN effect e"
    " ON e.encl = j.value JOIN path p ON p.id = e.path ORDER BY p.path, e.off"
)
_DECLARED = (
    "SELECT j.value FROM json_each(?) j"
    " WHERE EXISTS (SELECT 1 FROM object o WHERE o.symbol = j.value)"
)
_PLACE = (
    'SELECT p.path, x.line, x.col FROM "use" x JOIN path p ON p.id = x.path'
    f" WHERE x.symbol = ? AND x.encl = ?{reach.role_filter(reach.CALLING)}"
    " ORDER BY p.path, x.off LIMIT 1"
)


class Effect(NamedTuple):
    """Something done outside of computing, by a statement or a call in one function."""

    kind: str
    what: str
    doer: int
    """The function that does it, by symbol number."""
    pos: str
    through: int = 0
    """The interface method whose call may come to it, 0 for none."""
    module: str = ""
    """The module that nothing is known of."""


def answer(snapshot: Snapshot, request: Effects) -> dict[str, Json]:
    """`effects` counted by kind, then `count` and `paths`: effect, what (the call, or panic and
    go), pos, and `path`: the functions called on the way to it; for unknown ones the `module`."""
    kinds = _read_kinds(request.effect)
    address, record = resolve_function(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    calls = reach.used(db, load_satisfaction(db), reach.CALLING)
    outward: dict[int, list[tuple[int, int]]] = {}

    def inward(symbols: Collection[int]) -> Mapping[int, list[tuple[int, int]]]:
        called = calls(symbols)
        targets = {target for found in called.values() for target, _ in found}
        here = {symbol for (symbol,) in db.execute(_DECLARED, (as_json(targets),))}
        for symbol, found in called.items():
            outward[symbol] = [call for call in found if call[0] not in here]
        return {s: [call for call in found if call[0] in here] for s, found in called.items()}

    steps = reach.walk([record.symbol], inward, 0)
    came = {step.there: step.here for step in steps}
    doers = [record.symbol, *came]
    statements = _statements(db, doers)
    leaving = _Leaving(snapshot, outward)
    effects = (
        effect
        for doer in doers
        for effect in (*statements[doer], *leaving.by(doer))
        if not kinds or effect.kind in kinds
    )
    found = sorted(effects, key=lambda effect: effect.kind == "unknown")
    snapshot.verify(effect.pos.rsplit(":", 2)[0] for effect in found)
    counts = Counter(effect.kind for effect in found)
    head: dict[str, Json] = {
        "symbol": address.symbol,
        "resolved": address.resolved or "",
        "precision": PRECISION,
        "effects": {kind: counts[kind] for kind in EFFECTS if counts[kind]},
    }

    def hit(effect: Effect) -> dict[str, Json]:
        hit: dict[str, Json] = {"effect": effect.kind, "what": effect.what, "pos": effect.pos}
        through = spell(name_of(db, effect.through)) if effect.through else ""
        hit |= {"module": effect.module, "through": through}
        return without_empty(hit | {"path": _path(db, came, effect.doer)})

    return list_answer(snapshot, request, head, "paths", found, hit)


def _read_kinds(text: str) -> list[str]:
    kinds = text.replace(",", " ").split()
    if unknown := [kind for kind in kinds if kind not in EFFECTS]:
        near = get_close_matches(unknown[0], EFFECTS, n=3) or EFFECTS
        raise Reject("unknown_effect", unknown[0], did_you_mean=tuple(near))
    return kinds


def _statements(db: sqlite3.Connection, doers: list[int]) -> dict[int, list[Effect]]:
    """The first panic and the first go statement of each function."""
    first: dict[int, dict[str, Effect]] = {doer: {} for doer in doers}
    for doer, form, path, line, col in db.execute(_STATEMENTS, (as_json(doers),)):
        first[doer].setdefault(form, Effect(form, form, doer, f"{path}:{line}:{col}"))
    return {doer: list(effects.values()) for doer, effects in first.items()}


class _Leaving:
    """Calls of what the workspace does not declare, by caller."""

    def __init__(self, snapshot: Snapshot, called: Mapping[int, list[tuple[int, int]]]) -> None:
        self._snapshot, self._db, self._called = snapshot, snapshot.facts, called
        self._names = names_of(self._db, {t for calls in called.values() for t, _ in calls})
        self._modules = [path for (path,) in self._db.execute("SELECT path FROM module")]
        self._told = set[str]()

    def by(self, doer: int) -> list[Effect]:
        """What a function's calls may do, each once; a module that was told of is left out."""
        found: list[Effect] = []
        for target, through in self._called[doer]:
            pkg, sym = self._names[target]
            origin = origin_of(pkg, pkg in self._snapshot.packages())
            kind, module = effect_of(pkg, sym) if origin == "std" else "", ""
            if origin == "module":
                module = self._module_of(pkg)
                kind = "unknown" if module not in self._told else ""
                self._told.add(module)
            if kind:
                pos = self._place(through or target, doer)
                found.append(Effect(kind, f"{pkg}.{sym}", doer, pos, through, module))
        return found

    def _place(self, called: int, doer: int) -> str:
        path, line, col = self._db.execute(_PLACE, (called, doer)).fetchone()
        return f"{path}:{line}:{col}"

    def _module_of(self, pkg: str) -> str:
        fits = [path for path in self._modules if pkg == path or pkg.startswith(f"{path}/")]
        return max(fits, key=len, default=pkg)


def _path(db: sqlite3.Connection, came: Mapping[int, int], doer: int) -> list[Json]:
    """The functions called on the way to the one that has the effect, itself included."""
    path: list[Json] = []
    while doer in came:
        path.append(spell(name_of(db, doer)))
        doer = came[doer]
    return path[::-1]
