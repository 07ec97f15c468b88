"""Changes of a candidate as changes of the texts that the request gave.

Invariant: a text is found by what it says, white space aside, since placing and formatting change
no more than that; a change that lies in no text of the request has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ago.patch.mends.sight import Change, Sight
from grammar_ops.reject import Json
from grammar_ops.syntax import nodes
from grammar_ops.syntax.parse import parse

_TEXTS = (
    "body", "text", "expr", "exprs", "cond", "lhs", "rhs", "init", "post", "tag", "value",
    "default", "type", "signature", "args", "want", "chan", "range", "comm",
)  # fmt: skip


_ASSIGNMENT = "lhs rhs define"
"""The arguments that are one text between them: a statement of an operator and both its sides."""


class Place(NamedTuple):
    """A text of the request: number of its op, argument, item of a list or -1."""

    op: int
    argument: str
    item: int


class _Letters(NamedTuple):
    """The letters of a text that are no white space, and where each stands."""

    text: bytes
    at: tuple[int, ...]


def rewrite(
    changes: Sequence[Change], ops: Sequence[Mapping[str, Json]], sight: Sight, written_by: int
) -> dict[Place, Json] | None:
    """The arguments that change, whole; None where a change lies outside of all texts."""
    found: dict[Place, list[tuple[int, int, str]]] = {}
    files = {change.file: _letters(sight.text(change.file)) for change in changes}
    texts = sorted(_texts(ops), key=lambda item: item[0].op != written_by)
    for change in changes:
        for place, text in texts:
            if span := _within(change, files[change.file], text):
                found.setdefault(place, []).append((*span, change.text))
                break
        else:
            return None
    known = dict(texts)
    out: dict[Place, Json] = {}
    for place, edits in found.items():
        text = _edited(known[place], edits)
        whole = place.argument == _ASSIGNMENT
        arguments: dict[str, Json] | None = _sides(text) if whole else {place.argument: text}
        if arguments is None:
            return None
        out |= {place._replace(argument=name): value for name, value in arguments.items()}
    return out


def _sides(text: str) -> dict[str, Json] | None:
    """An assignment as the arguments that stand for it; None where it is none any more."""
    src = f"package p\nfunc _() {{\n{text}\n}}\n".encode()
    for node in nodes.descendants(parse(src).root_node):
        if node.type in (nodes.ASSIGN, nodes.SHORT_VAR):
            left, right = nodes.find_field(node, "left"), nodes.find_field(node, "right")
            if left is not None and right is not None:
                sides: dict[str, Json] = {"lhs": nodes.text_of(src, left)}
                sides |= {"rhs": nodes.text_of(src, right)}
                return sides | {"define": node.type == nodes.SHORT_VAR}
    return None


def _texts(ops: Sequence[Mapping[str, Json]]) -> Iterator[tuple[Place, str]]:
    for number, op in enumerate(ops, 1):
        if op.get("op") == "add_assign":
            operator = ":=" if op.get("define") else "="
            yield Place(number, _ASSIGNMENT, -1), f"{op.get('lhs')} {operator} {op.get('rhs')}"
            continue
        for argument in _TEXTS:
            value = op.get(argument)
            if isinstance(value, str) and value:
                yield Place(number, argument, -1), value
            for index, item in enumerate(value if isinstance(value, list) else ()):
                if isinstance(item, str) and item:
                    yield Place(number, argument, index), item


def _letters(text: bytes) -> _Letters:
    kept = [(letter, at) for at, letter in enumerate(text) if letter not in b" \t\r\n"]
    return _Letters(bytes(letter for letter, _ in kept), tuple(at for _, at in kept))


def _within(change: Change, file: _Letters, text: str) -> tuple[int, int] | None:
    """Where a change of a file lies in a text that the file holds."""
    own = _letters(text.encode())
    inside = [n for n, at in enumerate(file.at) if change.start <= at < change.end]
    if inside:
        first, last = inside[0], inside[-1]
    else:  # an insertion comes right behind the letter before it
        before = [n for n, at in enumerate(file.at) if at < change.start]
        first = last = before[-1] if before else 0
    start = file.text.find(own.text, max(0, last - len(own.text) + 1))
    if not own.text or start < 0 or start > first:
        return None
    low, high = own.at[first - start], own.at[last - start] + 1
    return (low, high) if inside else (high, high)


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    out = text.encode()
    for start, end, new in sorted(edits, reverse=True):
        head, tail = out[:start], out[end:]
        if (
            not new
            and not head.rpartition(b"\n")[2].strip()
            and not tail.partition(b"\n")[0].strip()
        ):
            # Nothing is left of the line.
            head, tail = head[: head.rfind(b"\n") + 1], tail.partition(b"\n")[2]
        out = head + new.encode() + tail
    return out.decode()
