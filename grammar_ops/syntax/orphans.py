"""Orphans: the locals that only a deleted text used, with the statements that give them values.

Invariant: a call that may do something stays, without the variable that took its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, nodes, slots
from grammar_ops.syntax.decls import find_enclosing
from grammar_ops.syntax.effects import find_effects
from grammar_ops.syntax.layout import removal_span
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.typefacts import uses_after


def orphan_edits(scope: Scope, path: str, body: Node, *gone: Span) -> list[Edit]:
    """The deletions of what nothing uses once `gone` is deleted from a function's body."""
    src, removed, seen = scope.source(path), [*gone], set[int]()
    edits: list[Edit] = []
    for span in removed:  # grows while it is gone through: an orphan may leave others
        for name in _names(body, span):
            local = _local_of(scope, path, body, name)
            if local < 0 or local in seen or any(s.start <= local < s.end for s in removed):
                continue
            seen.add(local)
            cuts = list(_cuts(scope, path, body, local, removed))
            removed += cuts
            edits += [Edit(path, _whole_lines(src, body, cut), b"") for cut in cuts]
    return edits


def _names(body: Node, span: Span) -> Iterator[Node]:
    for node in nodes.descendants(body):
        if node.type == nodes.IDENTIFIER and span.contains(nodes.span_of(node)):
            yield node


def _local_of(scope: Scope, path: str, body: Node, name: Node) -> int:
    """Where the variable that a name means is declared in the body, -1 for another object."""
    answer = scope.ask({"kind": "object_at", "file": path, "offset": name.start_byte})
    place = answer.get("def")
    if answer.get("kind") != "var" or not isinstance(place, dict) or place.get("file") != path:
        return -1
    offset = place.get("offset")
    inside = isinstance(offset, int) and body.start_byte < offset < body.end_byte
    return offset if isinstance(offset, int) and inside else -1


def _cuts(
    scope: Scope, path: str, body: Node, local: int, removed: Sequence[Span]
) -> Iterator[Span]:
    """What goes with a variable; nothing where it is read still, or shares its declaration."""
    found = []
    for span, role in uses_after(scope, path, local):
        if any(gone.contains(span) for gone in removed):
            continue
        name = body.descendant_for_byte_range(span.start, span.end)
        cut = _cut(scope, path, name) if name is not None and role in ("def", "write") else None
        if cut is None:
            return
        found.append(cut)
    yield from found


def _cut(scope: Scope, path: str, name: Node) -> Span | None:
    """The statement that does no more than give a variable its value, as far as it can go."""
    stmt = name
    while stmt.parent is not None and not nodes.is_listed(stmt):
        stmt = stmt.parent
    if stmt.type in nodes.SPEC_DECLS:
        specs = nodes.list_specs(stmt)
        alone = len(specs) == 1 and nodes.name_nodes(specs[0]) == [name]
        value = nodes.find_field(specs[0], "value")
        values = nodes.elements(value) if value is not None else []
    else:
        parts = dict(slots.list_slots(stmt))
        left = [n for slot, n in parts.items() if slot.startswith("lhs") or slot == "x"]
        alone, values = left == [name], [n for slot, n in parts.items() if slot.startswith("rhs")]
    if not alone:
        return None
    if not any(True for value in values for _ in find_effects(scope, path, value)):
        return nodes.span_of(stmt)
    if len(values) == 1 and (slots.is_call(values[0]) or slots.is_receive(values[0])):
        return Span(stmt.start_byte, values[0].start_byte)
    return None


def _whole_lines(src: bytes, body: Node, cut: Span) -> Span:
    """A cut with the comments and the lines of the statement that it is."""
    node = body.descendant_for_byte_range(cut.start, cut.end)
    if node is None or nodes.span_of(node) != cut:
        return cut
    return removal_span(src, Span(docs.doc_start(src, node), docs.trailing_end(src, node)))


def merge_deletions(path: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits with deletions that touch or overlap made one."""
    merged: list[Span] = []
    for span in sorted(edit.span for edit in edits):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return [Edit(path, span, b"") for span in merged]


def drop_orphans(
    scope: Scope, rewrite_of: Callable[[str], Rewrite], gone: Sequence[tuple[str, Span]]
) -> None:
    """Delete the locals that only some expressions used, each in a function body of its file."""
    bodies = dict[tuple[str, Span], tuple[Node, list[Span]]]()
    for path, span in gone:
        decl = find_enclosing(scope.tree(path), scope.source(path), span.start, path)
        body = nodes.find_field(decl.node, "body") if decl is not None else None
        if body is not None and nodes.is_block(body):
            bodies.setdefault((path, nodes.span_of(body)), (body, []))[1].append(span)
    for (path, _), (body, spans) in bodies.items():
        for edit in merge_deletions(path, orphan_edits(scope, path, body, *spans)):
            rewrite_of(path).cut(edit.span)
