"""Shapes of signatures: parameters one by one, a wanted signature as text, what becomes of which.

Invariant: a parameter is carried by its name; a nameless one by its type, in order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.near import near_names
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.parse import find_errors, parse
from grammar_ops.syntax.signature import list_params

register(
    "grammar",
    {
        "signature_required": "a signature is wanted: (params) results",
        "signature_does_not_parse": "the text is no Go signature",
        "variadic_must_be_last": "a variadic parameter is the last one, and the only one",
        "unknown_param": "an argument names a parameter that the function does not have",
    },
)

NAMELESS = ("", "_")


class Slot(NamedTuple):
    """One parameter; those with one number share a declaration, such as `a, b int`."""

    name: str
    type: str
    variadic: bool
    group: int


class Shape(NamedTuple):
    """A signature as it is wanted: its parameters, and its results as text."""

    slots: tuple[Slot, ...]
    results: str
    tokens: tuple[str, ...]
    """Of the results."""
    layout: str
    """The parameters as they are written, where that is on several lines or with comments."""
    gives: tuple[Slot, ...]
    """The results one by one."""


def read_slots(function: Node, src: bytes) -> tuple[Slot, ...]:
    """The parameters of a function or interface method."""
    return _read(function, src, "parameters")


def read_results(function: Node, src: bytes) -> tuple[Slot, ...]:
    """The results of a function or interface method, of which a single one may be a bare type."""
    result = result_node(function)
    if result is None or result.type == nodes.PARAMS:
        return _read(function, src, "result")
    return (Slot("", nodes.text_of(src, result), False, 0),)


def _read(function: Node, src: bytes, field: str) -> tuple[Slot, ...]:
    found = []
    for number, param in enumerate(list_params(function, src, field)):
        type_ = nodes.find_field(param.node, "type") or param.node
        for name in param.names or ("",):
            found.append(Slot(name, nodes.text_of(src, type_), param.variadic, number))
    return tuple(found)


def is_variadic(slots: Sequence[Slot]) -> bool:
    """Whether the last parameter takes any number of arguments."""
    return bool(slots) and slots[-1].variadic


def split_pairs(pairs: Sequence[str], arg: str) -> dict[str, str]:
    """The name=value texts of an argument as a map."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise Reject("expr_does_not_parse", f"{arg}: name=value is wanted, not {pair!r}")
        found[name.strip()] = value.strip()
    return found


def with_names(slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """The parameters as they can stand together: where one has a name, all have (spec, Function
    types)."""
    if not any(slot.name for slot in slots):
        return tuple(slots)
    return tuple(slot if slot.name else slot._replace(name="_") for slot in slots)


def insert_slot(
    slots: Sequence[Slot], new: Slot, *, first: bool = False
) -> tuple[tuple[Slot, ...], tuple[int | None, ...]]:
    """The parameters with a new one behind them (before a variadic one) or in front, and where the
    arguments of each come from."""
    at = 0 if first else len(slots) - is_variadic(slots)
    new = new._replace(group=len(slots))
    sources = (*range(at), None, *range(at, len(slots)))
    return with_names((*slots[:at], new, *slots[at:])), sources


def render_group(slots: Sequence[Slot]) -> str:
    """The text of one parameter declaration."""
    names = ", ".join(slot.name for slot in slots if slot.name)
    return f"{names} {'...' if slots[0].variadic else ''}{slots[0].type}".strip()


def list_groups(slots: Sequence[Slot]) -> list[list[Slot]]:
    """The parameter declarations that the slots are written as."""
    return [list(group) for _, group in groupby(slots, key=lambda slot: slot.group)]


def find_slot(slots: Sequence[Slot], name: str) -> int | None:
    """The number of a parameter by its name, or by its place counted from 1."""
    named = [i for i, slot in enumerate(slots) if slot.name == name]
    if len(named) == 1:
        return named[0]
    placed = int(name) - 1 if name.isdecimal() else -1
    return placed if 0 <= placed < len(slots) else None


def type_params(decl: Decl, src: bytes) -> set[str]:
    """The names of the type parameters of a method's type, as the method writes them."""
    receiver = nodes.find_field(decl.node, "receiver")
    if receiver is not None:
        names = [n for n in nodes.descendants(receiver) if nodes.is_type_name(n)]
        return {nodes.text_of(src, name) for name in names[1:]}
    outer: Node | None = decl.node
    while outer is not None and nodes.find_field(outer, "type_parameters") is None:
        outer = outer.parent
    found = nodes.find_field(outer, "type_parameters") if outer is not None else None
    params = nodes.elements(found) if found is not None else []
    return {nodes.text_of(src, name) for param in params for name in nodes.name_nodes(param)}


def result_node(function: Node) -> Node | None:
    """The results of a function, None for none."""
    return nodes.find_field(function, "result")


def parse_signature(scope: Scope, text: str, decl: Decl, src: bytes) -> Shape:
    """The shape that a text asks for: `(params) results`, or the whole head of the function.

    Reject(signature_does_not_parse), also for a head that speaks of another function.
    """
    if not text.strip():
        raise Reject("signature_required", decl.sym)
    found, node = _parse_head(scope, text.strip())
    _check_head(found, node, src, decl)
    result = result_node(node)
    text = nodes.text_of(found, result) if result is not None else ""
    whole = nodes.find_field(node, "parameters") or node
    given = nodes.text_of(found, whole)
    commented = any(n.type == nodes.COMMENT for n in nodes.descendants(whole))
    layout = given if "\n" in given or commented else ""
    tokens = tuple(leaf_texts(result, found))
    return Shape(read_slots(node, found), text, tokens, layout, read_results(node, found))


def has_names(results: str) -> bool:
    """Whether results as they are written have names."""
    src = f"package p\n\nfunc _() {results}\n".encode()
    function = nodes.elements(parse(src).root_node)[-1]
    return any(slot.name for slot in read_results(function, src))


def leaf_texts(node: Node | None, src: bytes) -> list[str]:
    """The tokens below a node, comments left out; a comma before a closing bracket is layout."""
    if node is None:
        return []
    leaves = [n for n in nodes.descendants(node) if not n.children and n.type != nodes.COMMENT]
    texts = [nodes.text_of(src, n) for n in leaves]
    return [t for i, t in enumerate(texts) if not (t == "," and texts[i + 1 : i + 2] == [")"])]


def _parse_head(scope: Scope, text: str) -> tuple[bytes, Node]:
    """The source and the node of a bodiless function with the wanted signature."""
    bare = text.removeprefix("func").lstrip() if text.startswith(("func ", "func(")) else text
    complaint = None
    for head in (text, f"func {text}", f"func _{bare}"):
        src = f"package p\n\n{head}\n".encode()
        root = parse(src).root_node
        found = nodes.elements(root)[1:]
        if len(found) != 1 or found[0].type not in nodes.FUNC_DECLS or any(find_errors(root)):
            continue
        if any(slot.variadic for slot in read_slots(found[0], src)[:-1]):
            raise Reject("variadic_must_be_last", text)
        complaint = scope.check_fragment("decl", head)
        if nodes.find_field(found[0], "body") is not None:
            complaint = "the text has a body: set_body takes that"
        if complaint is None:
            return src, found[0]
    complaint = complaint or scope.check_fragment("signature", text)
    raise Reject("signature_does_not_parse", complaint or "the text is no signature")


def _check_head(found: bytes, node: Node, src: bytes, decl: Decl) -> None:
    """A receiver, a name or type parameters in the text are those that the function has."""
    name = nodes.find_field(node, "name")
    named = nodes.text_of(found, name) if name is not None else "_"
    if named not in ("_", decl.name):
        raise Reject("signature_does_not_parse", f"the text is about {named}, not {decl.name}")
    for part in ("receiver", "type_parameters"):
        given = leaf_texts(nodes.find_field(node, part), found)
        standing = leaf_texts(nodes.find_field(decl.node, part), src)
        if given and given != standing:
            detail = f"{part.replace('_', ' ')} of {decl.sym}: {' '.join(standing) or 'none'}"
            raise Reject("signature_does_not_parse", f"{detail}, and that stays")


def match_slots(
    old: Sequence[Slot], new: Sequence[Slot], renames: Mapping[str, str], given: Collection[str]
) -> tuple[int | None, ...]:
    """For each new parameter the number of the old one whose arguments it takes, None for none.

    `given` are the names that come with an argument of their own.
    """
    _check_renames(old, new, renames)
    before = {to: name for name, to in renames.items()}
    numbers = {slot.name: i for i, slot in enumerate(old) if slot.name not in NAMELESS}
    sources: list[int | None] = []
    for slot in new:
        name = before.get(slot.name, slot.name)
        renamed_away = slot.name in renames and slot.name not in before
        sources.append(None if renamed_away else numbers.get(name))
    free = [i for i in range(len(old)) if i not in sources]
    for at, slot in enumerate(new):
        if sources[at] is None and slot.name not in given:
            sources[at] = _pair(old, free, slot, at)
            free = [i for i in free if i != sources[at]]
    return tuple(sources)


def _pair(old: Sequence[Slot], free: Sequence[int], slot: Slot, at: int) -> int | None:
    """The old parameter that goes on as a nameless one, or as one that gets its first name."""
    same = [i for i in free if old[i][1:3] == slot[1:3]]
    nameless = [i for i in same if old[i].name in NAMELESS]
    if slot.name in NAMELESS:
        return next(iter(nameless), at if at in same else None)
    # A name for what had none: without an argument of its own it can be nothing new.
    return next(iter(nameless), None)


def _check_renames(old: Sequence[Slot], new: Sequence[Slot], renames: Mapping[str, str]) -> None:
    had = [slot.name for slot in old if slot.name not in NAMELESS]
    has = [slot.name for slot in new]
    for name, to in renames.items():
        for wanted, names in ((name, had), (to, has)):
            if wanted not in names:
                near = tuple(near_names(wanted, names))
                raise Reject("unknown_param", f"renames: {wanted}", did_you_mean=near)
