"""Statements at another place of their function: what their names and jumps would mean there.

Invariant: asks of the draft as it is before the move; what moves along keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.reject import Finding, Json
from grammar_ops.scope import Scope
from grammar_ops.syntax import flow, nodes
from grammar_ops.syntax.findings import point_at


def changed_names(
    scope: Scope, path: str, moved: Sequence[Node], taken: Span, at: int
) -> Iterator[Finding]:
    """The names in the statements that would mean something else, or nothing, at offset `at`."""

    @cache
    def there(name: str) -> dict[str, Json]:
        answer = scope.ask({"kind": "names_at", "file": path, "offset": at, "name": name})
        existing = answer.get("existing")
        return existing if isinstance(existing, dict) else {}

    src = scope.source(path)
    listed = {name.start_byte for stmt in moved for name in flow.declared_names(stmt)}
    for node in flow.names_used(moved):
        start, name = node.start_byte, nodes.text_of(src, node)
        here = scope.ask({"kind": "object_at", "file": path, "offset": start})
        if "error" in here or here.get("kind") == "field":
            continue
        if _travels(here.get("def"), path, taken):
            taking = start in listed and there(name).get("here")
            # Moved up or down in its own block, a declaration meets itself.
            taking = taking and not _travels(there(name), path, taken)
            fault = "is declared there" if taking else ""
        elif not there(name):
            fault = "means nothing there"
        else:
            # := assigns to a variable of its own block and declares one anywhere else.
            declares = start in listed and not there(name).get("here")
            same = _meaning(here, here.get("def")) == _meaning(there(name), there(name))
            fault = "" if same and not declares else "means another there"
        if fault:
            yield point_at(src, path, start, f"{name} {fault}")


def _travels(place: Json, path: str, taken: Span) -> bool:
    """Whether an object is declared in what moves."""
    offset = place.get("offset") if isinstance(place, dict) and place.get("file") == path else None
    return isinstance(offset, int) and taken.start <= offset < taken.end


def _meaning(found: dict[str, Json], place: Json) -> tuple[Json, ...]:
    """An object by its place and type: a variable of a type switch has one in each clause."""
    known = place if isinstance(place, dict) else {}
    return known.get("file"), known.get("offset"), found.get("kind"), found.get("type")


def changed_jumps(moved: Sequence[Node], home: Node, goal: Node) -> list[Node]:
    """The jumps, returns and deferred calls in the statements that would have another target in
    the block or clause `goal` than in their own, `home`."""
    bound = [n for n in flow.own_nodes(moved) if flow.is_function_bound(n)]
    leaving = [*flow.loose_branches(moved), *bound, *filter(nodes.is_fallthrough, moved)]
    found = [n for n in leaving if flow.find_target(n, home) != flow.find_target(n, goal)]
    return sorted(found, key=lambda node: node.start_byte)
