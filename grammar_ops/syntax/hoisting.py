"""Hoisting: calls that give more results than their places take, as statements before their own.

Invariant: a call runs when it did, once and behind whatever ran before it; where a condition or
another call comes first, it stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Carried
from grammar_ops.scope import Scope
from grammar_ops.syntax import flow, nodes
from grammar_ops.syntax.callsites import CallSite
from grammar_ops.syntax.decls import find_enclosing
from grammar_ops.syntax.effects import find_effects
from grammar_ops.syntax.giving import Giving
from grammar_ops.syntax.layout import place_before
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.typefacts import ERROR, numbered

_WORD = re.compile(rb"\w+")
_NAMES = {ERROR: "err"}


def can_hoist(
    scope: Scope, site: CallSite, giving: Giving, calls: set[tuple[str, tuple[int, int]]]
) -> bool:
    """Whether a call can run as a statement of its own before the one that takes its results;
    `calls` are those that change with it."""
    anchor = _find_anchor(site.call.node)
    if anchor is None or giving.gone or not giving.before:
        return False
    path, at = site.ref.path, site.call.node.start_byte
    first = (node for part in _parts_before(anchor, at) for node in find_effects(scope, path, part))
    return all((path, node.byte_range) in calls for node in first)


class _Hoisted(NamedTuple):
    """A call, its statement, and a variable for each old result."""

    path: str
    anchor: Node
    call: Node
    names: dict[int, str]


def hoist(
    scope: Scope, rewrite_of: Callable[[str], Rewrite], sites: Sequence[CallSite], giving: Giving
) -> None:
    """Put calls before the statements that they are in, which take the results from variables."""
    found = [*_name_results(scope, sites, giving)]
    # A statement in a literal that another call is given goes with that call.
    found.sort(key=lambda it: (it.path, it.anchor.end_byte, it.anchor.start_byte, it.call.end_byte))
    for (path, *_), group in groupby(found, lambda it: (it.path, *it.anchor.byte_range)):
        rewrite, listed = rewrite_of(path), [*group]
        lines = [_split(rewrite, it, giving) for it in listed]
        at, head, tail, indent = place_before(rewrite.src, listed[0].anchor)
        text = f"\n{indent}".encode().join(lines)
        rewrite.replace(Span(at, at), head.encode() + text + tail.encode())


def _name_results(scope: Scope, sites: Sequence[CallSite], giving: Giving) -> Iterator[_Hoisted]:
    """The calls in the order in which they run; names that a function has already are not used."""
    used = dict[tuple[str, int], set[str]]()
    for site in sorted(sites, key=lambda site: (site.ref.path, site.call.node.end_byte)):
        path, call, src = site.ref.path, site.call.node, scope.source(site.ref.path)
        anchor = _find_anchor(call)
        function = find_enclosing(scope.tree(path), src, call.start_byte, path)
        if anchor is None or function is None:
            continue
        span = function.span
        words = used.setdefault((path, span.start), {*_words(src[span.start : span.end])})
        names = dict[int, str]()
        for source, slot in zip(giving.sources, giving.slots, strict=True):
            if source is not None:
                base = _NAMES.get(slot.type, "ret")
                names[source] = next(name for name in numbered(base) if name not in words)
                words.add(names[source])
        yield _Hoisted(path, anchor, call, names)


def _words(src: bytes) -> Iterator[str]:
    return (word.decode("utf-8", "replace") for word in _WORD.findall(src))


def _split(rewrite: Rewrite, it: _Hoisted, giving: Giving) -> bytes:
    """The assignment of a call's results, which leaves the variables in its place."""
    left = ", ".join("_" if source is None else it.names[source] for source in giving.sources)
    right = ", ".join(it.names[old] for old in sorted(it.names))
    span = nodes.span_of(it.call)
    text = rewrite.take(span)
    rewrite.replace(span, right.encode())
    return f"{left} := ".encode() + text


def carry_call(edits: Sequence[Edit], src: bytes, site: CallSite) -> Iterator[Carried]:
    """A call that is written before its statement as it was."""
    span = nodes.span_of(site.call.node)
    text = b" := " + src[span.start : span.end]
    for number, edit in enumerate(edits):
        new = edit.text or b""
        if edit.path == site.ref.path and not edit.span.contains(span) and new.count(text) == 1:
            yield Carried(number, new.index(text) + len(b" := "), site.ref.path, span)
            return


def _find_anchor(call: Node) -> Node | None:
    """The statement of a list that runs a call whenever it runs itself, and before its blocks."""
    node = call
    while not nodes.is_listed(node):
        parent = node.parent
        if parent is None or not flow.runs_with(node, parent):
            return None
        node = parent
    return node


def _parts_before(node: Node, at: int) -> Iterator[Node]:
    """The outermost parts of a node that end before an offset."""
    for child in node.children:
        if child.end_byte <= at:
            yield child
        elif child.start_byte < at:
            yield from _parts_before(child, at)
