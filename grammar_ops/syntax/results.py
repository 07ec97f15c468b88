"""Results that change: what returns give from now on, and what takes the results of calls.

Invariant: all returns and calls follow, or none does; what can't follow has a position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.reject import Finding, Reject, register
from grammar_ops.scope import Scope, Target
from grammar_ops.syntax import flow, nodes, slots
from grammar_ops.syntax.callsites import CallSite
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.effects import find_effects
from grammar_ops.syntax.findings import LIMIT, point_at
from grammar_ops.syntax.fitting import fit_into
from grammar_ops.syntax.giving import Giving
from grammar_ops.syntax.hoisting import can_hoist
from grammar_ops.syntax.layout import place_stmt
from grammar_ops.syntax.lists import Item, read_bare, rewrite_list
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import NAMELESS, read_results
from grammar_ops.syntax.takers import can_take, rewrite_taker

register(
    "grammar",
    {"results_do_not_fit": "a return or a call has no place for the results as they will be"},
)

# What a result that has a name is before it is assigned to, whatever its type.
_ZEROS = frozenset({"nil", "0", '""', "false"})


class Return(NamedTuple):
    """A return of a function whose results change, or the end of its body."""

    decl: Decl
    node: Node
    given: tuple[Node, ...]
    stays: bool
    """It passes on a call that changes as well, or gives as many values as will be wanted."""


class Followed(NamedTuple):
    """What follows when results change: nothing, where something can't and need not."""

    changed: tuple[CallSite, ...] = ()
    """The calls around which something changed."""
    hoisted: tuple[CallSite, ...] = ()
    """The calls that are to go before their statements."""
    returns: tuple[Return, ...] = ()
    """The returns that are to give something else."""


def follow_calls(
    scope: Scope, rewrite_of: Callable[[str], Rewrite], changing: Sequence[tuple[Decl, bool]],
    sites: Sequence[CallSite], giving: Giving, *, allow_effects: bool,
) -> Followed:  # fmt: skip
    """Let the takers of calls follow. Each function comes with whether its results are to have
    names.

    Reject(results_do_not_fit) where one can't and that was asked for.
    """
    own = {(decl.path, decl.node.start_byte) for decl, _ in changing}
    calls = {(site.ref.path, site.call.node.byte_range) for site in sites}
    returns = [found for each in changing for found in _list_returns(*each, giving, calls)]
    tight = [s for s in sites if not can_take(scope, s, giving, own)]
    stuck = [s for s in tight if not can_hoist(scope, s, giving, calls)]
    bad = [(s.ref.path, s.call.node, "takes the results as they are") for s in stuck]
    gives = "gives something else"
    bad += [(r.decl.path, r.node, gives) for r in returns if not _can_give(scope, r, giving)]
    if bad and giving.strict:
        at = [point_at(scope.source(path), path, node.start_byte, msg) for path, node, msg in bad]
        raise Reject("results_do_not_fit", f"{len(at)} places", diagnostics=tuple(at[:LIMIT]))
    if bad:
        return Followed()
    if not allow_effects:
        _refuse_effects(scope, returns, giving)
    wide = [s for s in sites if s not in tight]
    changed = [s for s in wide if rewrite_taker(rewrite_of(s.ref.path), s.call.node, giving)]
    returns += [_end_of(decl) for decl, _ in changing if not giving.before]
    return Followed((*changed, *tight), (*tight,), (*returns,))


def follow_returns(
    scope: Scope, rewrite_of: Callable[[str], Rewrite], returns: Sequence[Return], giving: Giving
) -> None:
    """Let returns give what is wanted, the calls in them being rewritten."""
    for found in returns:
        rewrite = rewrite_of(found.decl.path)
        if found.node.type == nodes.RETURN:
            _rewrite_return(scope, rewrite, found, giving)
        else:
            _end_body(scope, rewrite, found.decl, giving)


def _end_of(decl: Decl) -> Return:
    return Return(decl, decl.node, (), stays=True)


def _list_returns(
    decl: Decl, named: bool, giving: Giving, calls: set[tuple[str, tuple[int, int]]]
) -> list[Return]:
    body = nodes.find_field(decl.node, "body")
    found = []
    for node in flow.own_nodes([body] if body is not None else []):
        if node.type == nodes.RETURN:
            given = tuple(expr for _, expr in slots.list_slots(node))
            alone = given[0] if len(given) == 1 else node
            while alone.type == nodes.PAREN:
                alone = nodes.elements(alone)[0]
            stays = (decl.path, alone.byte_range) in calls
            stays |= _stays_bare(named, giving) if not given else len(given) != giving.before
            found.append(Return(decl, node, given, stays))
    return found


def _stays_bare(named: bool, giving: Giving) -> bool:
    """Whether a return without expressions goes on: of nothing, or of variables, where the new
    ones have the value that they are to have."""
    named &= giving.before > 0
    return not giving.sources or (named and {*giving.fills} <= {"", *_ZEROS})


def _can_give(scope: Scope, of: Return, giving: Giving) -> bool:
    """Whether a return gives what is wanted, or can be made to."""
    if of.given:
        return of.stays or len(of.given) == giving.before
    return of.stays or "" not in _variables(scope, of.decl, giving)


def _variables(scope: Scope, decl: Decl, giving: Giving) -> list[str]:
    """The variables of the results that go on, "" for one without a name."""
    old = read_results(decl.node, scope.source(decl.path))
    names = [old[source].name for source in giving.sources if source is not None]
    return ["" if name in NAMELESS else name for name in names]


def _refuse_effects(scope: Scope, returns: Sequence[Return], giving: Giving) -> None:
    """Reject(argument_has_effects) for calls in returned expressions that would not run, or in
    another order."""
    kept = [source for source in giving.sources if source is not None]
    found = list[Finding]()
    for of in [of for of in returns if not of.stays]:
        path = of.decl.path
        acts = {i: next(find_effects(scope, path, g), None) for i, g in enumerate(of.given)}
        for number, act in acts.items():
            if act is not None and number in giving.gone:
                found.append(point_at(scope.source(path), path, act.start_byte, "would not run"))
        ran = [number for number in kept if acts.get(number) is not None]
        if ran != sorted(ran):
            at = of.node.start_byte
            found.append(point_at(scope.source(path), path, at, "calls would change order"))
    if found:
        detail = f"{len(found)} in returns; allow_effects accepts that"
        raise Reject("argument_has_effects", detail, diagnostics=tuple(found[:LIMIT]))


def _rewrite_return(scope: Scope, rewrite: Rewrite, of: Return, giving: Giving) -> None:
    if of.stays:
        return
    keyword = of.node.children[0]
    if not giving.sources:
        rewrite.cut(Span(keyword.end_byte, of.node.end_byte))
    elif not of.given:
        text = _return_text(scope, rewrite, of.decl, keyword.start_byte, giving)
        rewrite.replace(nodes.span_of(keyword), text.encode())
    else:
        fills = _fills(scope, rewrite, keyword.start_byte, giving)
        pairs = zip(giving.sources, fills, strict=True)
        items = [Item(source, text or None) for source, text in pairs]
        rewrite_list(rewrite, read_bare(of.given), items)


def _fills(scope: Scope, rewrite: Rewrite, at: int, giving: Giving) -> list[str]:
    return [
        fit_into(scope, rewrite, at, fill, giving.home) if fill else "" for fill in giving.fills
    ]


def _return_text(scope: Scope, rewrite: Rewrite, decl: Decl, at: int, giving: Giving) -> str:
    """The return of a function that gave variables, or nothing."""
    names = iter(_variables(scope, decl, giving))
    return f"return {', '.join(text or next(names) for text in _fills(scope, rewrite, at, giving))}"


def _end_body(scope: Scope, rewrite: Rewrite, decl: Decl, giving: Giving) -> None:
    """A body that ran to its end has to return (spec, Terminating statements)."""
    body = nodes.find_field(decl.node, "body")
    if body is None:
        return
    listed = nodes.statements(body)
    if not listed or not flow.is_terminating(listed[-1]):
        text = _return_text(scope, rewrite, decl, body.end_byte - 1, giving)
        edit, _ = place_stmt(
            scope.source(decl.path), Target(decl.path, body, "block", decl), "last", [text]
        )
        rewrite.replace(edit.span, edit.text or b"")
