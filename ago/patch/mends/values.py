"""Mends of values: too many or too few of them, and of another type than is wanted.

Invariant: a value that is missing is a variable in sight of exactly its type, else the zero value;
a conversion is one that Go has a spelling for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import permutations

from tree_sitter import Node

from ago.checker.checker import Diagnostic
from ago.patch.mends.sight import Change, Mend, RawOp, Sight, number, rows
from grammar_ops.reject import Json
from grammar_ops.syntax import nodes

_ORDERED = 5
"""Values of a list that are put in another order: more are not mixed up but meant otherwise."""
_INTEGERS = re.compile(r"u?int(8|16|32|64|ptr)?|byte|rune")
_OF_TYPE = re.compile(r"\((?:variable|value|constant.*?|.*?) of (?:\w+ )?type (?P<has>.+)\)\Z")
_METHOD = re.compile(
    r"(?P<type>\S+) does not implement (?P<iface>\S+)"
    r" \((?P<what>missing method|method) (?P<name>\w+)"
)


def fit_values(found: Diagnostic, sight: Sight) -> Iterator[Mend]:
    """The list of a call or return with as many values as are wanted."""
    answer = sight.ask({"kind": "expects", "file": found.file, "offset": found.offset})
    wanted, given = rows(answer, "wanted"), rows(answer, "given")
    if "error" in answer or answer.get("variadic") or not wanted:
        return
    text = sight.text(found.file)
    kept = _matched(wanted, given)
    values = []
    for place, value in enumerate(wanted):
        if place in kept:
            row = given[kept[place]]
            values.append(text[number(row.get("start")) : number(row.get("end"))].decode())
        else:
            values.append(_likely(value, values))
    what = f"{answer.get('of')}{answer.get('signature')}" if answer.get("of") else "the results"
    start, end = number(answer.get("start")), number(answer.get("end"))
    lead = " " if answer.get("what") == "return" else ""
    yield Mend(
        f"gives {what} what it takes", (Change(found.file, start, end, lead + ", ".join(values)),)
    )


def fit_names(found: Diagnostic, names: int, values: int, sight: Sight) -> Iterator[Mend]:
    """As many names on the left as the call on the right has values."""
    statement = sight.node(found.file, found.offset, found.offset + 1)
    while statement is not None and statement.type not in (
        nodes.SHORT_VAR,
        nodes.ASSIGN,
        "var_spec",
    ):
        statement = statement.parent
    left = nodes.find_field(statement, "left") if statement is not None else None
    if left is None:
        return
    if names < values:
        more = ", _" * (values - names)
        yield Mend("takes all values", (Change(found.file, left.end_byte, left.end_byte, more),))
    elif values:
        kept = nodes.elements(left)[values - 1]
        yield Mend("takes what there is", (Change(found.file, kept.end_byte, left.end_byte, ""),))


def alone(found: Diagnostic, sight: Sight) -> Iterator[Mend]:
    """A call that gives all results of a return by itself."""
    node = sight.node(found.file, found.offset, max(found.end, found.offset + 1))
    while node is not None and node.type != nodes.RETURN:
        call, node = node, node.parent
        if node is not None and node.type == "expression_list" and call.type == nodes.CALL:
            text = sight.written(found.file, call)
            change = Change(found.file, node.start_byte, node.end_byte, text)
            yield Mend("returns what the call gives", (change,))
            return


def convert(found: Diagnostic, said: str, wanted: str, sight: Sight) -> Iterator[Mend]:
    """The expression converted to the type that is wanted."""
    yield from _in_order(found, sight)
    node = _operand(found, said.partition(" (")[0], sight)
    has = _OF_TYPE.search(said)
    if node is None or has is None:
        return
    for text in _conversions(sight.written(found.file, node), _last(has["has"]), wanted):
        yield Mend(
            f"converts to {wanted}", (Change(found.file, node.start_byte, node.end_byte, text),)
        )


def _in_order(found: Diagnostic, sight: Sight) -> Iterator[Mend]:
    """The same values in the only other order that fits."""
    answer = sight.ask({"kind": "expects", "file": found.file, "offset": found.offset})
    wanted, given = rows(answer, "wanted"), rows(answer, "given")
    if "error" in answer or not 2 <= len(wanted) == len(given) <= _ORDERED:
        return
    fits = [row["fits"] for row in given if isinstance(row.get("fits"), list)]
    orders = [
        order
        for order in permutations(range(len(given)))
        if len(fits) == len(given) and all(fits[g][w] for w, g in enumerate(order))  # type: ignore[index]
    ]
    if len(orders) != 1:
        return
    text = sight.text(found.file)
    values = [
        text[number(given[g].get("start")) : number(given[g].get("end"))].decode()
        for g in orders[0]
    ]
    start, end = number(given[0].get("start")), number(given[-1].get("end"))
    yield Mend("puts the values in order", (Change(found.file, start, end, ", ".join(values)),))


def convert_operand(found: Diagnostic, left: str, right: str, sight: Sight) -> Iterator[Mend]:
    """One side of an operator converted to the type of the other."""
    node = sight.node(found.file, found.offset, found.offset + 1)
    while node is not None and not (
        node.type == nodes.BINARY and (found.end <= 0 or node.end_byte >= found.end)
    ):
        node = node.parent
    if node is None:
        return
    for side, target, own in (("right", left, right), ("left", right, left)):
        operand = nodes.find_field(node, side)
        if operand is None:
            continue
        for text in _conversions(sight.written(found.file, operand), own, target):
            change = Change(found.file, operand.start_byte, operand.end_byte, text)
            yield Mend(f"converts to {target}", (change,))


def spoken_of(found: Diagnostic, sight: Sight) -> tuple[str, str] | None:
    """The address of what the expression at a diagnostic names: the function of a call."""
    node = sight.node(found.file, found.offset, max(found.end, found.offset + 1))
    while (
        node is not None and node.parent is not None and node.parent.start_byte == node.start_byte
    ):
        if node.parent.type not in (nodes.CALL, nodes.SELECTOR):
            break
        node = node.parent
    while node is not None and node.type == nodes.CALL:
        node = nodes.find_field(node, "function")
    if node is not None and node.type == nodes.SELECTOR:
        node = nodes.find_field(node, "field")
    if node is None:
        return None
    answer = sight.ask({"kind": "object_at", "file": found.file, "offset": node.start_byte})
    pkg, sym = str(answer.get("pkg") or ""), str(answer.get("sym") or "")
    return (pkg, sym) if pkg in sight.snapshot.packages() and sym else None


def implement(found: Diagnostic, sight: Sight) -> Iterator[Mend]:
    """The methods that an interface asks for as stubs, or the address of a value that has them."""
    match = _METHOD.search(found.msg)
    if match is None:
        return
    expr = re.match(r"cannot use (.+?) \(", found.msg, re.DOTALL)
    if match["what"] == "method":
        node = _operand(found, expr[1] if expr else "", sight)
        if node is not None:
            change = Change(found.file, node.start_byte, node.start_byte, "&")
            yield Mend(f"{match['name']} is a method of the pointer", (change,))
        return
    type_, iface = match["type"].lstrip("*"), match["iface"]
    pkg = sight.package_of(found.file)
    op: RawOp = {
        "op": "implement_interface", "pkg": "" if "." in type_ else pkg, "sym": type_,
        "interface": iface,
    }  # fmt: skip
    yield Mend(f"gives {type_} the methods of {iface}", (), (op,))


def _operand(found: Diagnostic, text: str, sight: Sight) -> Node | None:
    """The expression that a diagnostic speaks of: the one at its place with its text."""
    start = found.offset
    node = sight.node(found.file, start, max(found.end, start + 1))
    while node is not None and node.start_byte == start and node.parent is not None:
        if (
            _letters(sight.written(found.file, node)) == _letters(text)
            or node.end_byte == found.end
        ):
            return node
        node = node.parent
    return sight.node(found.file, start, found.end) if found.end > start else None


def _letters(text: str) -> str:
    return re.sub(r"\s", "", text)


def _last(has: str) -> str:
    """The type in `int64 type ID`: the declared one."""
    return has.rpartition(" type ")[2]


def _conversions(text: str, has: str, wanted: str) -> Iterator[str]:
    """Spellings of a value of one type in another, the best first."""
    if wanted == f"*{has}":
        yield f"&{text}"
    elif has == f"*{wanted}":
        yield f"*{text}"
    elif has == "error" and wanted == "string":
        yield f"{text}.Error()"
    elif has == "string" and wanted == "error":
        yield f"errors.New({text})"
    elif wanted == "string" and _INTEGERS.fullmatch(has):
        yield f"strconv.Itoa({text})" if has == "int" else f"strconv.FormatInt(int64({text}), 10)"
    elif has == "string" and _INTEGERS.fullmatch(wanted):
        return  # the digits of a text are read with an error, which the place has no room for
    elif wanted[:1] in "*<(" or wanted.startswith(("func", "chan")):
        yield f"({wanted})({text})"
    else:
        yield f"{wanted}({text})"


def _matched(
    wanted: list[Mapping[str, Json]] | list[dict[str, Json]], given: list[dict[str, Json]]
) -> dict[int, int]:
    """Which given value is kept for which wanted one: most of those that fit, in order."""
    best: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}

    def longest(w: int, g: int) -> tuple[tuple[int, int], ...]:
        if w == len(wanted) or g == len(given):
            return ()
        if (w, g) not in best:
            fits = given[g].get("fits")
            options = [longest(w, g + 1), longest(w + 1, g)]
            if isinstance(fits, list) and w < len(fits) and fits[w]:
                options.insert(0, ((w, g), *longest(w + 1, g + 1)))
            best[w, g] = max(options, key=len)
        return best[w, g]

    return dict(longest(0, 0))


def _likely(wanted: Mapping[str, Json], taken: list[str]) -> str:
    """A variable in sight for a value: of the same name, else the only one; else the zero value."""
    names = wanted.get("scope")
    free = [str(n) for n in names if n not in taken] if isinstance(names, list) else []
    if wanted.get("name") in free:
        return str(wanted["name"])
    if len(free) == 1:
        return free[0]
    if str(wanted.get("type")) == "context.Context":
        return "context.TODO()"
    return str(wanted.get("zero") or "nil")
