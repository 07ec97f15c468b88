"""Changes inside a type, var or const declaration: members of groups, fields of structs."""

from __future__ import annotations

from collections.abc import Iterator

from bench.oracle.items import Item
from bench.oracle.step import Op
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl, list_members


def change_members(address: Op, old: Item, new: Item) -> Iterator[list[Op]]:
    """Ways to say the difference of two texts by their members, the finest first."""
    if new.kind == old.kind == "type" and len(old.decls) == len(new.decls) == 1:
        yield from _fields(address, old, new)
    if new.decls[0].group is not None and old.decls[0].group is not None:
        yield from _group(address, old, new)


def _fields(address: Op, old: Item, new: Item) -> Iterator[list[Op]]:
    """Fields of a struct that came or went; the others as they were, whatever their alignment."""
    before, after = _Fields(old), _Fields(new)
    kept = [name for name in before.texts if name in after.texts]
    if kept != [name for name in after.texts if name in before.texts] or not kept:
        return
    if any(before.texts[name] != after.texts[name] for name in kept):
        return
    ops: list[Op] = []
    above = ""
    for name in after.texts:
        if name not in before.texts:
            place: Op = {"after": above} if above else {"first": True}
            ops.append({"op": "add_field", **address, **after.args(name), **place})
        above = name
    gone = [name for name in before.texts if name not in after.texts]
    sym = address["sym"]
    ops += [{"op": "remove_field", **address, "sym": f"{sym}.{name}"} for name in gone]
    if ops and not any("," in name for name in (*before.texts, *after.texts)):
        yield ops


class _Fields:
    """The fields of a struct by name, those of one declaration joined."""

    def __init__(self, item: Item) -> None:
        self.code, self.base = item.code.encode(), item.decls[0].span.start
        group = item.decls[0].group
        self.base = group.span.start if group else self.base
        self.members: dict[str, Decl] = {}
        self.texts: dict[str, str] = {}
        for member in list_members(item.decls[0], b" " * self.base + self.code):
            if member.sym.count(".") == 1 and member.kind == "field":
                full = member.full_span
                words = self._cut(full.start, full.end).split()
                self.texts[member.name] = " ".join(words)
                self.members[member.name] = member

    def args(self, name: str) -> Op:
        """What add_field needs to write a field."""
        member = self.members[name]
        kind, tag = (nodes.find_field(member.node, part) for part in ("type", "tag"))
        assert kind is not None
        start = member.span.start if member.embedded else kind.start_byte
        args: Op = {"type": self._cut(start, kind.end_byte)}
        if not member.embedded:
            args["name"] = name
        if tag is not None:
            args["tag"] = self._cut(tag.start_byte, tag.end_byte).strip("`")
        doc = self._cut(member.full_span.start, member.span.start).splitlines()
        lines = [line.strip().removeprefix("//").removeprefix(" ") for line in doc]
        if text := "\n".join(lines).strip():
            args["doc"] = text
        return args

    def _cut(self, start: int, end: int) -> str:
        return self.code[start - self.base : end - self.base].decode()


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
    if gone:
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
