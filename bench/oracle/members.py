"""Changes inside a type, var or const declaration: members of groups, fields of structs."""

from __future__ import annotations

from collections.abc import Iterator

from bench.oracle.items import Item
from bench.oracle.step import Op
from grammar_ops.catalog import CATALOG


def change_members(address: Op, path: str, old: Item, new: Item) -> Iterator[list[Op]]:
    """Ways to say the difference of two texts by their members, the finest first."""
    if new.decls[0].group is not None and old.decls[0].group is not None:
        yield from _group(address, old, new)


def _group(address: Op, old: Item, new: Item) -> Iterator[list[Op]]:
    """Members that came, went or changed, each by an op of its own."""
    if len(set(new.syms)) != len(new.syms) or "_" in new.syms or "_" in old.syms:
        return
    texts = {d.sym: _spec(new, k) for k, d in enumerate(new.decls)}
    before = {d.sym: _spec(old, k) for k, d in enumerate(old.decls)}
    if any(d.name_count > 1 for d in (*old.decls, *new.decls)):
        return
    kept = [sym for sym in old.syms if sym in texts]
    if kept != [sym for sym in new.syms if sym in before] or not kept:
        return
    pkg, ops = address["pkg"], []
    for index, sym in enumerate(new.syms):
        op: Op = {"op": "upsert_decl", "pkg": pkg, "text": f"{new.kind} (\n{texts[sym]}\n)"}
        if sym not in before:
            near = {"after": new.syms[index - 1]} if index else {"before": kept[0]}
            ops.append({**op, **near})
        elif texts[sym] != before[sym]:
            ops.append(op)
    gone = [sym for sym in old.syms if sym not in texts]
    if gone and "delete_decl" in CATALOG:
        ops.append({"op": "delete_decl", "pkg": pkg, "syms": gone})
    if ops:
        yield ops


def _spec(item: Item, index: int) -> str:
    """A member with its doc and the comment on its line."""
    decl = item.decls[index]
    start = item.decls[0].group
    assert start is not None
    text = item.code.encode()
    base = start.span.start
    return text[decl.full_span.start - base : decl.full_span.end - base].decode()
