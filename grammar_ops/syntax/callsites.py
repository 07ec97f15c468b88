"""Calls of a function whose parameters change: found, read, and given the arguments they need.

Invariant: a call that can't be read for certain is a rejection with its position, never skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import nodes, slots, uses
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.effects import find_effects
from grammar_ops.syntax.findings import LIMIT, point_at
from grammar_ops.syntax.fitting import fit_into
from grammar_ops.syntax.lists import Item, read_list, rewrite_list
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import Slot, is_variadic, read_slots
from grammar_ops.syntax.signature import Call, find_call

register(
    "grammar",
    {
        "call_site_unreadable": "a call passes on another call's results, or can't be found",
        "argument_has_effects": "an argument that goes, or moves past others, may do something",
    },
)


class CallSite(NamedTuple):
    """A call of a function, with the reference that led to it."""

    ref: Ref
    call: Call
    shift: int
    """1 for a method expression `T.M(recv, …)`, whose first argument is the receiver."""


class Passing(NamedTuple):
    """What calls pass: before, from now on, and where each new parameter's argument comes from."""

    old: tuple[Slot, ...]
    new: tuple[Slot, ...]
    sources: tuple[int | None, ...]
    defaults: Mapping[str, str]
    home: tuple[str, str] | None = None
    """The package and file that the defaults are said in, None where calls take them as they are.
    """

    @property
    def keeps(self) -> bool:
        """Whether every call stays as it is."""
        stay = self.sources[: len(self.old)] == tuple(range(len(self.old)))
        fresh = self.new[len(self.old) :]
        retyped = is_variadic(self.old) != is_variadic(self.new[: len(self.old)])
        return stay and not retyped and all(s.variadic and not self.given(s) for s in fresh)

    @property
    def retypes(self) -> bool:
        """Whether a parameter that stays has another type."""
        pairs = zip(self.new, self.sources, strict=True)
        return any(s is not None and _type(self.old[s]) != _type(slot) for slot, s in pairs)

    @property
    def lacking(self) -> tuple[Slot, ...]:
        """New parameters that calls have no argument for."""
        pairs = zip(self.new, self.sources, strict=True)
        return tuple(s for s, i in pairs if i is None and not s.variadic and not self.given(s))

    def given(self, slot: Slot) -> str:
        """The argument for a new parameter."""
        return self.defaults.get(slot.name, "")


def _type(slot: Slot) -> tuple[str, bool]:
    return " ".join(slot.type.split()), slot.variadic


def value_refs(refs: Sequence[Ref]) -> list[Ref]:
    """The uses that are no calls: the function's type is what they need."""
    harmless = uses.CALL_ROLES | uses.SILENT_ROLES | uses.DOC_ROLES
    return [ref for ref in refs if ref.role not in harmless]


def find_calls(scope: Scope, refs: Sequence[Ref], decl: Decl) -> list[CallSite]:
    """The calls of a function that the references stand in; Reject(call_site_unreadable)."""
    old, sites = read_slots(decl.node, scope.source(decl.path)), []
    receiver = decl.sym.rpartition(".")[0]
    for ref in refs:
        if ref.role not in uses.CALL_ROLES:
            continue
        call = find_call(scope.tree(ref.path), ref.span)
        if call is None:
            raise uses.reject_at(scope, "call_site_unreadable", ref.encl, [ref])
        sites.append(CallSite(ref, call, _shift(scope, ref, call, receiver, old)))
    return sites


def refuse_unreadable(scope: Scope, sites: Sequence[CallSite], passing: Passing, sym: str) -> None:
    """Reject(call_site_unreadable) for calls `f(g())` with several results of g (spec, Calls), and
    for those that have not the arguments which the function takes."""
    for found, detail in (
        (
            [s.ref for s in sites if _passes_results(scope, s, passing.old)],
            "passes on the results of another",
        ),
        (
            [s.ref for s in sites if not _fits(s, passing.old)],
            "has other arguments than parameters",
        ),
    ):
        if found:
            raise uses.reject_at(scope, "call_site_unreadable", f"{sym}: the call {detail}", found)


def _fits(site: CallSite, old: Sequence[Slot]) -> bool:
    count = len(site.call.args) - site.shift
    return count >= len(old) - 1 if is_variadic(old) else count == len(old)


def _passes_results(scope: Scope, site: CallSite, old: Sequence[Slot]) -> bool:
    ref, call, shift = site
    if len(call.args) != 1 or not slots.is_call(call.args[0]):
        return False
    if not is_variadic(old):
        return len(old) + shift > 1
    span = nodes.span_of(call.args[0])
    question: dict[str, Json] = {"kind": "type_at", "file": ref.path}
    results = scope.ask({**question, "start": span.start, "end": span.end}).get("results")
    return isinstance(results, list) and len(results) > 1


def _shift(scope: Scope, ref: Ref, call: Call, receiver: str, old: Sequence[Slot]) -> int:
    """Whether the operand of the callee is a type, of the receiver or with its method."""
    callee = slots.callee_of(call.node)
    owner = (
        next((n for name, n in slots.list_slots(callee) if name == "x"), None) if callee else None
    )
    if not receiver or owner is None:
        return 0
    if not is_variadic(old) and len(call.args) == len(old) + 1:
        return 1
    src = scope.source(ref.path)
    names = [nodes.text_of(src, n) for n in nodes.descendants(owner) if not n.children]
    if not (receiver in names or is_variadic(old)) or any(n in names for n in ("{", "&")):
        return 0
    # A field that embeds the type has its name too.
    span = nodes.span_of(owner)
    question: dict[str, Json] = {"kind": "type_at", "file": ref.path}
    mode = scope.ask({**question, "start": span.start, "end": span.end}).get("mode")
    return int(mode == "type" if mode else receiver in names and "[" not in names)


def rewrite_calls(
    scope: Scope, rewrite_of: Callable[[str], Rewrite], sites: Sequence[CallSite],
    passing: Passing, *, allow_effects: bool,
) -> list[CallSite]:  # fmt: skip
    """Give every call its arguments, inner calls first; those that changed."""
    if passing.keeps:
        return []
    if not allow_effects:
        _refuse_effects(scope, sites, passing)
    for site in sorted(sites, key=lambda s: s.call.node.end_byte - s.call.node.start_byte):
        rewrite = rewrite_of(site.ref.path)
        listed = read_list(rewrite.src, site.call.opening, site.call.closing)
        rewrite_list(rewrite, listed, _items(scope, rewrite, site, passing))
    return list(sites)


def _items(scope: Scope, rewrite: Rewrite, site: CallSite, passing: Passing) -> list[Item]:
    """The new argument list of a call."""
    args = [nodes.text_of(rewrite.src, arg) for arg in site.call.args]
    items = [Item(i) for i in range(site.shift)]
    for slot, source in zip(passing.new, passing.sources, strict=True):
        if source is None:
            if given := passing.given(slot):
                at = site.call.node.start_byte
                items.append(Item(None, fit_into(scope, rewrite, at, given, passing.home)))
            continue
        first, old = site.shift + source, passing.old[source]
        if old.variadic == slot.variadic:
            items += [Item(i) for i in range(first, len(args) if old.variadic else first + 1)]
        elif slot.variadic:
            items.append(_as_tail(old, slot, first, args))
        else:
            items.append(_as_one(site, scope, old, slot, first, args))
    return items


def _as_tail(old: Slot, slot: Slot, at: int, args: Sequence[str]) -> Item:
    """The argument for a parameter that has become variadic: a slice is spread."""
    is_slice = "".join(old.type.split()) == "[]" + "".join(slot.type.split())
    return Item(at, f"{args[at]}...") if is_slice else Item(at)


def _as_one(
    site: CallSite, scope: Scope, old: Slot, slot: Slot, at: int, args: Sequence[str]
) -> Item:
    """The argument for a parameter that is variadic no more: the slice that was spread."""
    tail = args[at:]
    if len(tail) == 1 and tail[0].endswith("..."):
        return Item(at, tail[0].removesuffix("...").rstrip())
    if len(tail) == 1 and "".join(old.type.split()) == "".join(slot.type.split()):
        return Item(at)
    if not tail:
        return Item(None, "nil")
    detail = f"{slot.name} is variadic no more, and the call passes single values"
    raise uses.reject_at(scope, "call_site_unreadable", detail, [site.ref])


def _refuse_effects(scope: Scope, sites: Sequence[CallSite], passing: Passing) -> None:
    """Reject(argument_has_effects) for calls in arguments that would not run, or in another order.

    Calls and receives run from left to right (spec, Order of evaluation).
    """
    kept = [source for source in passing.sources if source is not None]
    gone = set(range(len(passing.old))) - set(kept)
    if not gone and kept == sorted(kept):
        return
    findings = [
        point_at(scope.source(site.ref.path), site.ref.path, node.start_byte, told)
        for site in sites
        for node, told in _disturbed(scope, site, passing, gone, kept)
    ]
    if findings:
        detail = f"{len(findings)} in arguments; allow_effects accepts that"
        raise Reject("argument_has_effects", detail, diagnostics=tuple(findings[:LIMIT]))


def _disturbed(
    scope: Scope, site: CallSite, passing: Passing, gone: set[int], kept: Sequence[int]
) -> Iterator[tuple[Node, str]]:
    """What a call's new argument list drops, or runs in another order, with how to say it."""
    acting: dict[int, Node] = {}
    for at, arg in enumerate(site.call.args[site.shift :]):
        number = min(at, len(passing.old) - 1)
        if number in gone or kept != sorted(kept):
            for node in find_effects(scope, site.ref.path, arg):
                if number in gone:
                    yield node, f"{_text(scope, site, node)} would not run"
                else:
                    acting.setdefault(number, node)
    order = [number for number in kept if number in acting]
    for before, after in pairwise(order):
        if before > after:
            yield acting[before], f"{_text(scope, site, acting[before])} would run earlier"


def _text(scope: Scope, site: CallSite, node: Node) -> str:
    return " ".join(nodes.text_of(scope.source(site.ref.path), node).split())[:60]


def dropped_spans(sites: Sequence[CallSite], passing: Passing) -> list[tuple[str, Span]]:
    """The places of arguments that calls no longer pass."""
    gone = set(range(len(passing.old))) - {s for s in passing.sources if s is not None}
    return [
        (site.ref.path, nodes.span_of(arg))
        for site in sites
        for at, arg in enumerate(site.call.args[site.shift :])
        if min(at, len(passing.old) - 1) in gone
    ]
