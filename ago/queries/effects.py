"""What one function may do beside computing: files, network, processes, panics, goroutines.

Invariant: each effect is told once for each function that has it, nearest first, by a shortest path
of calls; an interface call leads to every method that may stand for it, a function that is handed
on counts as called. Another module is `unknown`, and told once, last.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

from ago.facts.satisfaction import PRECISION, load_satisfaction
from ago.protocol.requests import Effects
from ago.queries import reach
from ago.queries.functions import resolve_function
from ago.queries.imports import origin_of
from ago.queries.outside import effect_of
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import name_of
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register("queries", {"unknown_effect": "there is no effect of that name"})

REQUEST = Effects
EXAMPLE: dict[str, Json] = {"sym": "main"}

EFFECTS = ("files", "network", "exec", "panic", "go", "unknown")
_STATEMENTS = (
    "SELECT e.form, p.path, e.line, e.col FROM effect e JOIN path p ON p.id = e.path"
    " WHERE e.encl = ? ORDER BY p.path, e.off"
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
    is_here = _declared(db)

    def inward(symbol: int) -> list[tuple[int, int]]:
        called = calls(symbol)
        outward[symbol] = [call for call in called if not is_here(call[0])]
        return [call for call in called if is_here(call[0])]

    steps = reach.walk([record.symbol], inward, 0)
    came = {step.there: step.here for step in steps}
    leaving = _Leaving(snapshot)
    effects = (
        effect
        for doer in (record.symbol, *came)
        for effect in (*_statements(db, doer), *leaving.by(doer, outward[doer]))
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
        through = ".".join(name_of(db, effect.through)) if effect.through else ""
        hit |= {"module": effect.module, "through": through}
        return without_empty(hit | {"path": _path(db, came, effect.doer)})

    return list_answer(snapshot, request, head, "paths", found, hit)


def _read_kinds(text: str) -> list[str]:
    kinds = text.replace(",", " ").split()
    if unknown := [kind for kind in kinds if kind not in EFFECTS]:
        near = get_close_matches(unknown[0], EFFECTS, n=3) or EFFECTS
        raise Reject("unknown_effect", unknown[0], did_you_mean=tuple(near))
    return kinds


def _declared(db: sqlite3.Connection) -> Callable[[int], bool]:
    """Whether the workspace declares a symbol."""
    find = "SELECT 1 FROM object WHERE symbol = ? LIMIT 1"
    return cache(lambda symbol: db.execute(find, (symbol,)).fetchone() is not None)


def _statements(db: sqlite3.Connection, doer: int) -> list[Effect]:
    """The first panic and the first go statement of a function."""
    first: dict[str, Effect] = {}
    for form, path, line, col in db.execute(_STATEMENTS, (doer,)):
        first.setdefault(form, Effect(form, form, doer, f"{path}:{line}:{col}"))
    return list(first.values())


class _Leaving:
    """Calls of what the workspace does not declare."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot, self._db = snapshot, snapshot.facts
        self._modules = [path for (path,) in self._db.execute("SELECT path FROM module")]
        self._told = set[str]()

    def by(self, doer: int, called: Iterable[tuple[int, int]]) -> list[Effect]:
        """What a function's calls may do, each once; a module that was told of is left out."""
        found: list[Effect] = []
        for target, through in called:
            pkg, sym = name_of(self._db, target)
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
        path.append(".".join(name_of(db, doer)))
        doer = came[doer]
    return path[::-1]
