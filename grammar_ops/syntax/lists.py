"""Lists in parentheses: elements dropped, put in, exchanged and rewritten where they stand.

Invariant: the layout is a grid of places: what stays in order is not touched, what changes places
takes its comments along, and a list with an element on each line keeps one on each line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.layout import line_indent
from grammar_ops.syntax.rewrite import Rewrite


class Element(NamedTuple):
    """One element with its comments: those in front of it, before its comma, at its line's end."""

    node: Node
    lead: int
    end: int
    comma: int
    """Where the comma behind it ends, -1 without one."""
    tail: int


class Listed(NamedTuple):
    """A list between two parentheses."""

    opening: Node
    closing: Node
    elements: tuple[Element, ...]


class Item(NamedTuple):
    """One element of the new list: an old one (`source`), perhaps as `text` now, or a new text."""

    source: int | None
    text: str | None = None


def read_list(src: bytes, opening: Node, closing: Node) -> Listed:
    """The elements between two parentheses of one node."""
    found: list[Element] = []
    lead, child = -1, opening.next_sibling
    while child is not None and child.start_byte < closing.start_byte:
        last = found[-1] if found else None
        if child.type == "," and last is not None:
            found[-1] = last._replace(comma=child.end_byte, tail=child.end_byte)
        elif child.type == nodes.COMMENT:
            if last is not None and last.comma < 0:
                found[-1] = last._replace(end=child.end_byte, tail=child.end_byte)
            elif last is not None and lead < 0 and _ends_line_with(src, last.tail, child):
                found[-1] = last._replace(tail=child.end_byte)
            elif lead < 0:
                lead = child.start_byte
        elif child.is_named:
            start, end = child.start_byte, child.end_byte
            found.append(Element(child, start if lead < 0 else lead, end, -1, end))
            lead = -1
        child = child.next_sibling
    return Listed(opening, closing, tuple(found))


def read_bare(listed: Sequence[Node]) -> Listed:
    """The elements of a list without parentheses, of which there is one at least."""
    found = []
    for node in listed:
        comma = nodes.find_comma(node)
        end = comma.end_byte if comma is not None else -1
        found.append(Element(node, node.start_byte, node.end_byte, end, max(end, node.end_byte)))
    return Listed(listed[0], listed[-1], tuple(found))


def _ends_line_with(src: bytes, at: int, comment: Node) -> bool:
    same_line = b"\n" not in src[at : comment.start_byte]
    return same_line and docs.ends_line(src, comment.end_byte)


def rewrite_list(rewrite: Rewrite, listed: Listed, items: Sequence[Item]) -> None:
    """Turn the list into `items`: old elements fill the places that stay, in their new order."""
    for item in items:
        if item.source is not None and item.text is not None:
            node = listed.elements[item.source].node
            rewrite.retoken(nodes.span_of(node), item.text)
    kept = [item.source for item in items if item.source is not None]
    places = sorted(kept)
    _exchange(rewrite, listed, [m for m in zip(places, kept, strict=True) if m[0] != m[1]])
    bounds, gaps = [-1, *places, len(listed.elements)], _gaps(items)
    for before, after, texts in zip(bounds, bounds[1:], gaps, strict=False):
        _fill_gap(rewrite, listed, before, after, texts)


def _gaps(items: Sequence[Item]) -> list[list[str]]:
    """The new texts before, between and behind the old elements that are kept."""
    gaps: list[list[str]] = [[]]
    for item in items:
        if item.source is not None:
            gaps.append([])
        else:
            gaps[-1].append(item.text or "")
    return gaps


def _exchange(rewrite: Rewrite, listed: Listed, moves: Sequence[tuple[int, int]]) -> None:
    """Put into each place (first) the element that stood at another one (second)."""
    taken = []
    for _, source in moves:
        element = listed.elements[source]
        taken.append((rewrite.take(Span(element.lead, element.end)), _tail(rewrite.src, element)))
    for (place, _), (text, comment) in zip(moves, taken, strict=True):
        element = listed.elements[place]
        if element.comma >= 0:
            rewrite.replace(Span(element.comma, element.tail), comment)
        elif comment.strip():
            # Without a comma behind it, the line can't end in a comment.
            text = comment.strip() + b"\n" + text
        rewrite.replace(Span(element.lead, element.end), text)


def _tail(src: bytes, element: Element) -> bytes:
    return src[element.comma : element.tail] if element.comma >= 0 else b""


def _fill_gap(
    rewrite: Rewrite, listed: Listed, before: int, after: int, texts: Sequence[str]
) -> None:
    """New texts take the places of the elements that go between two kept ones, one by one."""
    dropped = list(range(before + 1, after))
    for index, text in zip(dropped, texts, strict=False):
        element = listed.elements[index]
        rewrite.cut(Span(element.lead, element.end), text.encode())
        if element.comma >= 0:
            rewrite.cut(Span(element.comma, element.tail))
    both = min(len(dropped), len(texts))
    if len(dropped) > both:
        rewrite.cut(*_run_cut(rewrite.src, listed.elements, dropped[both], dropped[-1]))
    elif len(texts) > both:
        at, text = _insertion(rewrite.src, listed, after, texts[both:])
        if after < len(listed.elements):
            rewrite.insert(at, text.encode())
        else:
            rewrite.replace(Span(at, at), text.encode())


def _run_cut(src: bytes, elements: Sequence[Element], first: int, last: int) -> tuple[Span, bytes]:
    """What goes with the elements `first` to `last`, and what stays in its place."""
    span = _run_span(src, elements, first, last)
    before = elements[first - 1] if first else None
    if before is not None and span.start == before.end and before.tail > before.comma >= 0:
        # No comma is left for a comment to stand behind, and `)` can't follow a line comment.
        comment = src[before.comma : before.tail].strip().removeprefix(b"//").strip()
        return span, b" " + (comment if comment.startswith(b"/*") else b"/* %b */" % comment)
    return span, b""


def _run_span(src: bytes, elements: Sequence[Element], first: int, last: int) -> Span:
    """The range of the elements `first` to `last` with the comma that goes."""
    head, end = elements[first], elements[last]
    if docs.begins_line(src, head.lead) and end.comma >= 0 and docs.ends_line(src, end.tail):
        return Span(docs.line_start(src, head.lead), src.index(b"\n", end.tail) + 1)
    follower = elements[last + 1] if last + 1 < len(elements) else None
    if follower is not None and b"\n" not in src[end.tail : follower.lead]:
        return Span(head.lead, follower.lead)
    if first == 0:
        return Span(head.lead, end.tail)
    before = elements[first - 1]
    if end.comma >= 0:
        return Span(before.tail, end.tail)
    return Span(before.end, end.end)


def _insertion(src: bytes, listed: Listed, index: int, texts: Sequence[str]) -> tuple[int, str]:
    """Where `texts` become elements from `index` on, and with what around them.

    A list with an element on each line gets a line more, below the comment of the line above.
    """
    elements = listed.elements
    if index < len(elements):
        at = elements[index].lead
        # A list without brackets begins the statement's line, not one of its own.
        if docs.begins_line(src, at) and at > listed.opening.start_byte:
            return at, "".join(f"{text},\n{line_indent(src, at)}" for text in texts)
        return at, "".join(f"{text}, " for text in texts)
    if not elements:
        return listed.closing.start_byte, ", ".join(texts)
    last = elements[-1]
    if last.comma < 0:
        return last.end, "".join(f", {text}" for text in texts)
    if docs.ends_line(src, last.tail):
        indent = _element_indent(src, last)
        return last.tail, "".join(f"\n{indent}{text}," for text in texts)
    return last.comma, "".join(f" {text}," for text in texts)


def _element_indent(src: bytes, last: Element) -> str:
    indent = line_indent(src, last.node.start_byte)
    return indent if docs.begins_line(src, last.node.start_byte) else indent + "\t"
