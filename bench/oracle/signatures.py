"""Changed signatures: the op that says it, with the arguments that the commit has in its calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from bench.oracle.bodies import split_function
from bench.oracle.items import GoFile, Item
from bench.oracle.step import Op
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.parse import parse


def change_signature(
    address: Op, old: Item, new: Item, after: Mapping[str, GoFile]
) -> list[list[Op]]:
    """Ways to say that a function has other parameters or results; none where it has the same."""
    a, b = old.decls[0].node, new.decls[0].node
    if old.decls[0].body_span is None or new.decls[0].body_span is None:
        return []
    signature = _signature(new, b)
    if _signature(old, a) == signature:
        return []
    before, now = list(_params(old, a)), list(_params(new, b))
    names = [name for name, _ in before]
    name = new.decls[0].name
    came = [n for n, _ in now if n not in names]
    renames = [
        f"{x}={y}"
        for (x, s), (y, t) in zip(before, now, strict=False)
        if x != y and s == t and y not in names and x not in [n for n, _ in now]
    ]
    renamed = [pair.partition("=")[2] for pair in renames]
    defaults = [
        f"{param}={text}"
        for k, (param, _) in enumerate(now)
        if param in came and param not in renamed and (text := _argument(after, name, k))
    ]
    whole: Op = {"op": "set_signature", **address, "signature": signature}
    whole |= {key: pairs for key, pairs in (("defaults", defaults), ("renames", renames)) if pairs}
    ways = [[whole]]
    if len(now) == len(before) + 1 and now[:-1] == before and _same_results(old, a, new, b):
        param, kind = now[-1]
        op: Op = {"op": "add_param", **address, "name": param, "type": kind}
        argument = _argument(after, name, len(before))
        ways.insert(0, [{**op, "default": argument} if argument else op])
    gone = [pair for pair in before if pair not in now]
    if len(gone) == 1 and [p for p in before if p not in gone] == now:
        ways.insert(0, [{"op": "remove_param", **address, "name": gone[0][0]}])
    body = split_function(new)[1].strip("\n")
    set_body: Op = {"op": "set_body", **address, "body": body}
    return [*ways, *([set_body, *way] for way in ways), *([*way, set_body] for way in ways)]


def _signature(item: Item, node: Node) -> str:
    """From the parameters to the brace."""
    start, body = nodes.find_field(node, "parameters"), nodes.find_field(node, "body")
    assert start is not None and body is not None
    base, code = node.start_byte, item.code.encode()
    return code[start.start_byte - base : body.start_byte - base].decode().strip()


def _params(item: Item, node: Node) -> Iterator[tuple[str, str]]:
    """(name, type) of each parameter."""
    base, code = node.start_byte, item.code.encode()
    params = nodes.find_field(node, "parameters")
    for decl in nodes.elements(params) if params else ():
        kind = nodes.find_field(decl, "type")
        text = code[kind.start_byte - base : kind.end_byte - base].decode() if kind else ""
        text = f"...{text}" if nodes.is_variadic(decl) else text
        for name in nodes.name_nodes(decl):
            yield code[name.start_byte - base : name.end_byte - base].decode(), text


def _same_results(old: Item, a: Node, new: Item, b: Node) -> bool:
    results = []
    for item, node in ((old, a), (new, b)):
        found = nodes.find_field(node, "result")
        code, base = item.code.encode(), node.start_byte
        results.append(code[found.start_byte - base : found.end_byte - base] if found else b"")
    return results[0] == results[1]


def _argument(after: Mapping[str, GoFile], name: str, index: int) -> str:
    """What calls by that name pass at a place in the commit, most often."""
    found: Counter[str] = Counter()
    for file in after.values():
        if name.encode() not in file.src:
            continue
        for node in nodes.descendants(parse(file.src).root_node):
            if not slots.is_call(node):
                continue
            args = [slot for key, slot in slots.list_slots(node) if key.startswith("args")]
            function = slots.callee_of(node)
            callee = nodes.text_of(file.src, function) if function else ""
            if callee.rpartition(".")[2] == name and index < len(args):
                found[nodes.text_of(file.src, args[index])] += 1
    return found.most_common(1)[0][0] if found else ""
