"""Signature changes: one planner for every op that adds, drops, orders or retypes parameters.

Invariant: a use of the function that can't follow is a rejection with its position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from grammar_ops.edit import Edit
from grammar_ops.op import Carried, Ceiling, Notes, Plan, StillUsed, Together
from grammar_ops.reject import Json, Reject
from grammar_ops.scope import ObjectInfo, Ref, Scope
from grammar_ops.syntax import families, params, uses
from grammar_ops.syntax.adapters import wrap_value
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
from grammar_ops.syntax.giving import Giving
from grammar_ops.syntax.hoisting import carry_call, hoist
from grammar_ops.syntax.instances import instantiate
from grammar_ops.syntax.members import Member, adapt
from grammar_ops.syntax.orphans import drop_orphans
from grammar_ops.syntax.results import Followed, follow_calls, follow_returns
from grammar_ops.syntax.rewrite import Rewrite, gather
from grammar_ops.syntax.shapes import Slot, has_names, read_slots
from grammar_ops.syntax.takers import carry_places

CEILINGS = (
    Ceiling(
        "used_as_value",
        "what assembly needs keeps its type; another value does unless wrap_values puts a literal"
        " around it",
    ),
    Ceiling(
        "type_parameter_elsewhere",
        "a new type can't name a type parameter of the method's type where other methods follow",
    ),
)


class Wanted(NamedTuple):
    """The new parameters of a function, where their arguments come from, its new results."""

    slots: tuple[Slot, ...]
    sources: tuple[int | None, ...]
    results: str | None = None
    """None where they stay."""
    layout: str = ""
    """The parameters as they are to be written, "" to write them in the layout that is there."""
    giving: Giving | None = None
    """How the results go on, where returns and calls follow."""


class Terms(NamedTuple):
    """What a request says beside the signature."""

    defaults: Mapping[str, str]
    lacking: str
    """The reason when a call has no argument for a new parameter."""
    refuse_use: bool = False
    """Refuse when the patch leaves a use of what goes in a body, before the gate says so."""
    allow_effects: bool = False
    implementors: bool = False
    """Change all methods that interfaces tie to the one addressed."""
    orphans: bool = False
    """Delete the locals that only arguments which go used."""
    wrap_values: bool = False
    """Put a literal of the old type around the function where it is a value."""


def resolve_callable(scope: Scope, pkg: str, sym: str) -> Decl:
    """A function, method or interface method; Reject(not_a_function) for anything else."""
    decl = scope.resolve_decl(pkg, sym)
    if decl.kind not in ("func", "method", "interface_method"):
        raise Reject("not_a_function", f"{decl.sym} is a {decl.kind}")
    return decl


def change_signature(scope: Scope, pkg: str, decl: Decl, wanted: Wanted, terms: Terms) -> Plan:
    """Plan a signature change: what stands in its way, the calls, the function and its family."""
    rewrites = dict[str, Rewrite]()

    def rewrite_of(path: str) -> Rewrite:
        return rewrites.setdefault(path, Rewrite(path, scope.source(path)))

    rewrite_of(decl.path)  # its own file comes first in what the answer tells
    tied = families.list_tied(scope, pkg, decl)
    members = _list_members(scope, pkg, decl, wanted, terms, tied)
    passing = members[0][1].passing
    values = _find_values(scope, members, terms)
    sites = _find_sites(scope, members)
    _refuse_calls(scope, decl, sites, passing, terms)
    used: tuple[StillUsed, ...] = ()
    if terms.refuse_use:
        gone = dropped_spans(sites, passing)
        used = params.list_used(scope, [(m.decl, m.passing) for _, m in members], gone)
    for span, name in params.follow_names(scope, decl, passing):
        rewrite_of(decl.path).replace(span, name.encode())
    for ref, of, member in values:
        wrap_value(scope, rewrite_of(ref.path), ref, (of, member.decl), member.passing)
    instantiate(scope, rewrite_of, sites, decl, passing)
    calls = _change_calls(scope, rewrite_of, sites, members, terms)
    for _, member in members:
        own = rewrite_of(member.decl.path)
        own.wishes += member.wishes
        heading = params.admit_names(own, member.decl, member.passing, strict=member.decl is decl)
        params.rewrite_head(own, member.decl, heading, member.results)
    if wanted.layout:
        params.lay_out(rewrite_of(decl.path), decl, wanted.layout)
    notes = Notes(callers_updated=len({(s.ref.path, s.ref.span) for s in calls}))
    if generated := uses.list_generated([site.ref for site in calls]):
        notes["generated"] = generated
    edits, imports = gather(rewrites.values())
    return Plan(
        edits,
        touches=tuple(dict.fromkeys((of, member.decl.sym) for of, member in members if of)),
        retypes=wanted.results is not None or passing.retypes or _has_unnamed(scope, members),
        together=keep_together(scope, pkg, decl, () if terms.implementors else tied),
        still_used=used,
        imports=imports,
        carried=tuple(_list_carried(scope, edits, sites, members)),
        notes=notes,
    )


def _change_calls(
    scope: Scope, rewrite_of: Callable[[str], Rewrite], sites: Sequence[CallSite],
    members: Sequence[tuple[str, Member]], terms: Terms,
) -> list[CallSite]:  # fmt: skip
    """Give calls their arguments and places for results, and returns what they give; the calls
    that changed.

    What takes a text along takes the edits in it along, so that the inner ones come first.
    """
    first, effects = members[0][1], terms.allow_effects
    found = Followed()
    if first.giving is not None:
        changing = [(m.decl, has_names(m.results or "")) for _, m in members]
        found = follow_calls(
            scope, rewrite_of, changing, sites, first.giving, allow_effects=effects
        )
    changed = rewrite_calls(scope, rewrite_of, sites, first.passing, allow_effects=effects)
    if first.giving is not None:
        follow_returns(scope, rewrite_of, found.returns, first.giving)
        hoist(scope, rewrite_of, found.hoisted, first.giving)
    if terms.orphans:
        drop_orphans(scope, rewrite_of, dropped_spans(sites, first.passing))
    return [*found.changed, *changed]


def _list_carried(
    scope: Scope, edits: Sequence[Edit], sites: Sequence[CallSite],
    members: Sequence[tuple[str, Member]],
) -> Iterator[Carried]:  # fmt: skip
    """The names that the change writes in another place."""
    for _, member in members:
        yield from params.carry_names(edits, member.decl, member.passing)
    giving = members[0][1].giving
    if giving is not None:
        for site in sites:
            yield from carry_places(edits, site, giving)
            yield from carry_call(edits, scope.source(site.ref.path), site)


def _list_members(
    scope: Scope, pkg: str, decl: Decl, wanted: Wanted, terms: Terms,
    tied: Sequence[ObjectInfo],
) -> list[tuple[str, Member]]:  # fmt: skip
    """(package, method) of what changes: the addressed one, and its family where that follows."""
    old = read_slots(decl.node, scope.source(decl.path))
    passing = Passing(old, wanted.slots, wanted.sources, terms.defaults, (pkg, decl.path))
    first = pkg, Member(decl, passing, wanted.results, (), wanted.giving)
    found = [(pkg, twin) for twin in families.list_twins(scope, pkg, decl)]
    for info in tied if terms.implementors else ():
        other = families.resolve_member(scope, info)
        unnamed = families.is_unnamed(info)
        others = (other, *(() if unnamed else families.list_twins(scope, info.pkg, other)))
        found += [(info.pkg, each) for each in others]
    reason = "type_parameter_elsewhere"
    return [
        first,
        *(
            (of, adapt(scope, first, of or scope.package_of(each.path) or "", each, reason=reason))
            for of, each in found
        ),
    ]


def _has_unnamed(scope: Scope, members: Sequence[tuple[str, Member]]) -> bool:
    """Whether an interface without a name changes: it is the type of whatever has it."""
    owners = [
        scope.find_object(pkg, member.decl.sym.rpartition(".")[0]) if pkg else None
        for pkg, member in members
        if member.decl.kind == "interface_method"
    ]
    return any(owner is None or owner.kind != "type" for owner in owners)


def _each_once(members: Sequence[tuple[str, Member]]) -> list[tuple[str, Member]]:
    """The members without those that are declared a second time for another build."""
    seen = dict[tuple[str, str], tuple[str, Member]]()
    for pkg, member in members:
        seen.setdefault((pkg, member.decl.sym), (pkg, member))
    return list(seen.values())


def _find_values(
    scope: Scope, members: Sequence[tuple[str, Member]], terms: Terms
) -> list[tuple[Ref, str, Member]]:
    """The uses as a value that get a literal; Reject(used_as_value) where none is to be."""
    found = []
    for pkg, member in _each_once(members):
        refs = uses.list_refs(scope, pkg, member.decl.sym)
        values = value_refs(refs) if terms.wrap_values and member.results is None else []
        refuse_values(scope, pkg, member.decl, [ref for ref in refs if ref not in values])
        found += [(ref, pkg, member) for ref in values]
    return found


def _find_sites(scope: Scope, members: Sequence[tuple[str, Member]]) -> list[CallSite]:
    """The calls of all members, each once."""
    sites = dict[tuple[str, int], CallSite]()
    for pkg, member in _each_once(members):
        refs = uses.list_refs(scope, pkg, member.decl.sym)
        for site in find_calls(scope, refs, member.decl):
            sites.setdefault((site.ref.path, site.call.node.start_byte), site)
    return list(sites.values())


def refuse_values(scope: Scope, pkg: str, decl: Decl, refs: Sequence[Ref]) -> None:
    """Reject(used_as_value) where others need the function's type."""
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


def keep_together(
    scope: Scope, pkg: str, decl: Decl, tied: Sequence[ObjectInfo]
) -> Together | None:
    """What has to change in the same patch, and the refusal otherwise."""
    if not tied:
        return None
    reject = families.refuse_split(scope, pkg, decl, [*tied])
    return Together(tuple((m.pkg, m.sym) for m in tied), reject, reshaped=True)
