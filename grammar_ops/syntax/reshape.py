"""Signature changes: one planner for every op that adds, drops, orders or retypes parameters.

Invariant: a use of the function that can't follow is a rejection with its position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grammar_ops.edit import Edit
from grammar_ops.op import Ceiling
from grammar_ops.reject import Json, Reject
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import params, uses
from grammar_ops.syntax.callsites import (
    CallSite,
    Passing,
    dropped_spans,
    find_calls,
    refuse_unreadable,
    rewrite_calls,
    value_refs,
)
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.findings import point_refs
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import Slot, read_slots

CEILINGS = (
    Ceiling("used_as_value", "a function used as a value, or from assembly, keeps its type"),
)


class Wanted(NamedTuple):
    """The new parameters of a function, where their arguments come from, its new results."""

    slots: tuple[Slot, ...]
    sources: tuple[int | None, ...]
    results: str | None = None
    """None where they stay."""


class Terms(NamedTuple):
    """What a request says beside the signature."""

    defaults: Mapping[str, str]
    lacking: str
    """The reason when a call has no argument for a new parameter."""
    refuse_use: bool = False
    """Refuse at once when the body uses what goes, instead of letting the gate say so."""
    allow_effects: bool = False


class Changed(NamedTuple):
    """A planned signature change: its edits, and the calls that it gave other arguments."""

    edits: tuple[Edit, ...]
    calls: tuple[CallSite, ...]
    retypes: bool
    """Whether a parameter that stays, or a result, gets another type."""

    @property
    def generated(self) -> list[str]:
        """The generated files among those that calls are in."""
        return uses.list_generated([site.ref for site in self.calls])


def resolve_callable(scope: Scope, pkg: str, sym: str) -> Decl:
    """A function, method or interface method; Reject(not_a_function) for anything else."""
    decl = scope.resolve_decl(pkg, sym)
    if decl.kind not in ("func", "method", "interface_method"):
        raise Reject("not_a_function", f"{decl.sym} is a {decl.kind}")
    return decl


def change_signature(scope: Scope, pkg: str, decl: Decl, wanted: Wanted, terms: Terms) -> Changed:
    """Plan a signature change: the uses that stand in its way, the calls, the function itself."""
    src, rewrites = scope.source(decl.path), dict[str, Rewrite]()

    def rewrite_of(path: str) -> Rewrite:
        return rewrites.setdefault(path, Rewrite(path, scope.source(path)))

    refs = uses.list_refs(scope, pkg, decl.sym)
    _refuse_values(scope, pkg, decl, refs)
    passing = Passing(read_slots(decl.node, src), wanted.slots, wanted.sources, terms.defaults)
    sites = find_calls(scope, refs, decl.sym)
    _refuse_calls(scope, decl, sites, passing, terms)
    if terms.refuse_use:
        params.refuse_use(scope, decl, passing, dropped_spans(sites, passing))
    own = rewrite_of(decl.path)
    for span, name in params.follow_names(scope, decl, passing):
        own.replace(span, name.encode())
    calls = rewrite_calls(scope, rewrite_of, sites, passing, allow_effects=terms.allow_effects)
    for slot, source in zip(passing.new, passing.sources, strict=True):
        if source is None:
            params.admit_name(own, decl, passing, slot)
    params.rewrite_head(own, decl, passing, wanted.results)
    edits = tuple(edit for rewrite in rewrites.values() for edit in rewrite.edits)
    return Changed(edits, tuple(calls), wanted.results is not None or passing.retypes)


def _refuse_values(scope: Scope, pkg: str, decl: Decl, refs: Sequence[Ref]) -> None:
    values = value_refs(refs)
    if values or uses.is_in_assembly(scope, pkg, decl.sym):
        at = point_refs(scope, values)
        raise Reject("used_as_value", decl.sym, diagnostics=at)


def _refuse_calls(
    scope: Scope, decl: Decl, sites: Sequence[CallSite], passing: Passing, terms: Terms
) -> None:
    """Refuse calls that no argument list can be written for."""
    if passing.keeps:
        return
    refuse_unreadable(scope, sites, passing, decl.sym)
    if sites and passing.lacking:
        names = ", ".join(slot.name for slot in passing.lacking)
        detail = f"{names}: {len(sites)} calls of {decl.sym}"
        raise Reject(terms.lacking, detail, facts={"may_be": _may_be(passing)})


def _may_be(passing: Passing) -> list[Json]:
    """old=new for the parameters that lack an argument and stand where one of their type goes."""
    pairs = list[Json]()
    for at, (slot, source) in enumerate(zip(passing.new, passing.sources, strict=True)):
        old = passing.old[at] if source is None and at < len(passing.old) else None
        if old is not None and at not in passing.sources and old[1:3] == slot[1:3]:
            pairs.append(f"{old.name}={slot.name}")
    return pairs
