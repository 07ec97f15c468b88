"""Unwrapping a statement: what of its head is dropped or kept, what ties its body to it.

Invariant: the statements of the body are not rewritten, and no comment goes with the head.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Bind
from grammar_ops.syntax import docs, flow, nodes, slots
from grammar_ops.syntax.layout import blank_head, blank_tail, line_indent, removal_span


class Shell(NamedTuple):
    """A statement and the block in it that stays."""

    node: Node
    body: Node
    init: Node | None
    """A statement of the head that stays in front of the body."""
    dropped: tuple[Node, ...]
    """The expressions and statements of the head that go."""


def find_shell(node: Node) -> Shell | None:
    """The block of an if without else, a for, a bare block or a called literal; None for others."""
    called = flow.called_literal(node)
    if called is not None:
        literal, call = called
        plain = flow.is_bare_call(literal, call)
        body = nodes.find_body(literal)
        return Shell(node, body, None, ()) if plain and body is not None else None
    body = nodes.find_body(node)
    if body is None or node.type in nodes.CLAUSES:
        return None
    head = dict(slots.list_slots(node)) if node.type in (nodes.IF, nodes.FOR) else {}
    init = head.pop("init", None)
    stays = init is not None and _is_kept(init, body)
    dropped = [init] if init is not None and not stays else []
    return Shell(node, body, init if stays else None, (*dropped, *head.values()))


def _is_kept(init: Node, body: Node) -> bool:
    """Whether the init has a use without the head: it assigns, or declares for the body."""
    declared = flow.declared_names(init)
    return not declared or any(True for _ in _mentions(body, declared))


def _mentions(body: Node, names: list[Node]) -> Iterator[Node]:
    wanted = {name.text for name in names}
    return (n for n in nodes.descendants(body) if n.type == nodes.IDENTIFIER and n.text in wanted)


def tied_statements(shell: Shell, labels: list[str]) -> list[Node]:
    """The statements of the body that speak of the shell: a break of the loop, a return of the
    literal, a use of a range variable."""
    listed = nodes.statements(shell.body)
    if flow.called_literal(shell.node) is not None:
        return flow.bound_to_function(listed)
    found = flow.branches_to(listed, labels)
    if shell.node.type == nodes.FOR:
        found += flow.loose_branches(listed)
        found += _mentions(shell.body, flow.range_names(shell.node))
    return sorted(found, key=lambda node: node.start_byte)


def unwrap_edits(src: bytes, path: str, shell: Shell) -> tuple[list[Edit], Bind | None]:
    """The edits that leave the body and all comments, and what `$N` names: the first statement."""
    inside = [n for n in nodes.descendants(shell.node) if n.type == nodes.COMMENT]
    comments = [n for n in inside if not nodes.span_of(shell.body).contains(nodes.span_of(n))]
    listed = nodes.statements(shell.body)
    if not inside and not listed and shell.init is None:
        return [Edit(path, removal_span(src, nodes.span_of(shell.node)), b"")], None
    init = [shell.init] if shell.init is not None else []
    before = [n for n in [*comments, *init] if n.start_byte < shell.body.start_byte]
    after = [n for n in comments if n.start_byte > shell.body.start_byte]
    before.sort(key=lambda node: node.start_byte)
    edits = [Edit(path, span, text) for span, text in _head_cuts(src, shell, before)]
    edits += [Edit(path, span, text) for span, text in _tail_cuts(src, shell, after)]
    first = next(iter([*init, *listed]), None)
    return edits, _bind(edits, first) if first is not None else None


_Cut = tuple[Span, bytes]


def _head_cuts(src: bytes, shell: Shell, kept: list[Node]) -> Iterator[_Cut]:
    """The cuts from the statement's start to its body, around what stays of the head."""
    start, end = shell.node.start_byte, shell.body.children[0].end_byte
    blank = docs.ends_line(src, end)
    if not kept and blank:
        begin = docs.line_start(src, start) if docs.begins_line(src, start) else start
        end = docs.next_line(src, end)
        yield Span(begin, end + blank_head(src[end:])), b""
        return
    line = f"\n{line_indent(src, start)}".encode()
    for index, node in enumerate(kept):
        yield Span(start, node.start_byte), line if index else b""
        start = node.end_byte
    rest = src[end : docs.line_end(src, end)]
    yield Span(start, end + len(rest) - len(rest.lstrip())), line if kept and not blank else b""


def _tail_cuts(src: bytes, shell: Shell, kept: list[Node]) -> Iterator[_Cut]:
    """The cuts from the body's closing brace to the statement's end."""
    start, end = shell.body.children[-1].start_byte, shell.node.end_byte
    for node in kept:
        yield Span(start, node.start_byte), b""
        start = node.end_byte
    rest = src[end : docs.line_end(src, end)]
    if not docs.begins_line(src, start):
        head = src[:start]
        yield Span(start if kept else len(head.rstrip()), end), b""
    elif not rest.strip():
        start = docs.line_start(src, start)
        yield Span(start - blank_tail(src[:start]), docs.next_line(src, end)), b""
    else:
        left = rest.lstrip().removeprefix(b";").lstrip()
        yield Span(start, end + len(rest) - len(left)), b""


def _bind(edits: list[Edit], first: Node) -> Bind:
    """Where a statement that stays stands, told from the first edit on."""
    at = first.start_byte - edits[0].span.start
    for edit in edits:
        if edit.span.end <= first.start_byte:
            at += len(edit.text or b"") - (edit.span.end - edit.span.start)
    return Bind(0, Span(at, at + first.end_byte - first.start_byte))
