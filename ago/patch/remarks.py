"""Remarks: what go vet would say of written text, where its syntax tells: nobody need run it.

Invariant: text that the edit did not write is not spoken of.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node, Tree

from ago.gate.gate import written_spans
from ago.stages import Candidate
from grammar_ops.reject import Finding
from grammar_ops.syntax import nodes
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.names import unrun_prefix
from grammar_ops.syntax.tags import complain

Ranges = Sequence[tuple[int, int]]


def find_remarks(candidate: Candidate, read: Callable[[bytes], Tree]) -> Iterator[Finding]:
    """The tests that go test would pass over, and the tags that reflection can't read."""
    for path, ranges in sorted(written_spans(candidate).items()):
        src = candidate.files[path].text or b""
        if not path.endswith(".go") or not ranges:
            continue
        for node in _touched(read(src).root_node, ranges):
            told = ("", "", node, node)
            if node.type == nodes.FIELD:
                told = _of_field(node, src)
            elif node.type == nodes.FUNCTION and path.endswith("_test.go"):
                told = _of_test(node, src)
            code, msg, named, about = told
            if msg and (_is_in(about, ranges) or _is_in(named, ranges)):
                yield replace(point_at(src, path, named.start_byte, msg), code=code)


def _touched(node: Node, ranges: Ranges) -> Iterator[Node]:
    """The nodes that hold written text."""
    for child in node.named_children:
        if _is_in(child, ranges):
            yield child
            yield from _touched(child, ranges)


def _is_in(node: Node, ranges: Ranges) -> bool:
    return any(start < node.end_byte and end > node.start_byte for start, end in ranges)


def _of_field(field: Node, src: bytes) -> tuple[str, str, Node, Node]:
    """(code, message, what is named, what it is about): the message is "" for nothing."""
    tag, names = nodes.find_field(field, "tag"), nodes.name_nodes(field)
    text = nodes.text_of(src, tag) if tag is not None else ""
    read = _unquote(text)
    why = complain(read) if read else ""
    shown = f"`{read}`" if "`" not in read else text
    msg = f"struct field tag {shown} not compatible with reflect.StructTag.Get: {why}"
    named = names[0] if names else nodes.embedded_name(field) or field
    return "vet/structtag", msg if why else "", named, tag or named


def _unquote(literal: str) -> str:
    """The value of a string literal, "" for one whose escapes only Go has."""
    if literal.startswith("`"):
        return literal.strip("`")
    try:
        return str(ast.literal_eval(literal)) if literal else ""
    except (SyntaxError, ValueError):
        return ""


def _of_test(func: Node, src: bytes) -> tuple[str, str, Node, Node]:
    named = nodes.find_field(func, "name") or func
    name = nodes.text_of(src, named)
    prefix, params = unrun_prefix(name), nodes.find_field(func, "parameters")
    taken = nodes.text_of(src, params).strip("() \t\n,").rpartition("*")[2] if params else ""
    plain = nodes.find_field(func, "result") is None and "*" in nodes.text_of(src, params or func)
    plain &= taken.rpartition(".")[2] == prefix[:1]
    told = f"{name} has malformed name: first letter after '{prefix}' must not be lowercase"
    return "vet/tests", told if prefix and plain else "", named, params or named
