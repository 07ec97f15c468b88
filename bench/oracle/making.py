"""New statements as ops: one op for each, what is in a block behind the op that makes the block."""

from __future__ import annotations

from itertools import count
from typing import Any

from tree_sitter import Node

from bench.oracle.step import Op
from grammar_ops.syntax import nodes

_NUMBERS = count(1)


class Unexpressed(Exception):
    """The statement ops can't say it; the argument names what is in the way."""


class Maker:
    """Collects the ops of one function; `@K` is what the op with that `_id` made."""

    def __init__(self, address: Op, src: bytes) -> None:
        self.address, self.src = address, src
        self.ops: list[Op] = []

    def add(self, name: str, **args: Any) -> str:
        """Append an op; the name of what it makes."""
        made = f"@{next(_NUMBERS)}"
        self.ops.append({"op": name, **self.address, **args, "_id": made})
        return made

    def make(self, node: Node, at: str, where: str) -> str:
        """The op for a new statement, and those for what is in it."""
        place = {"at": at, "where": where}
        if any(child.type == nodes.COMMENT for child in nodes.descendants(node)):
            raise Unexpressed("comment")
        if node.type in (nodes.IF, nodes.FOR):
            return self._make_block(node, place)
        name, args = self._simple(node)
        return self.add(name, **place, **args)

    def _make_block(self, node: Node, place: Op) -> str:
        if nodes.find_field(node, "initializer") is not None:
            raise Unexpressed("init of a new if")
        if node.type == nodes.FOR:
            made = self.add("add_for", **place, **self._loop(node))
        else:
            made = self.add("add_if", **place, cond=self._field(node, "condition"))
        self._fill(nodes.find_body(node), made)
        if (other := nodes.find_else(node)) is not None:
            self.make_else(other, made)
        return made

    def _simple(self, node: Node) -> tuple[str, Op]:
        """The op for a statement without blocks."""
        match node.type:
            case nodes.SHORT_VAR:
                return "add_assign", {**self._sides(node), "define": True}
            case nodes.ASSIGN if nodes.find_token(node, "=") is not None:
                return "add_assign", self._sides(node)
            case nodes.EXPR_STMT:
                return "add_call", {"expr": self.text(node)}
            case "return_statement":
                inner = nodes.elements(node)
                exprs = nodes.elements(inner[0]) if inner else []
                return "add_return", {"exprs": [self.text(e) for e in exprs]}
            case "defer_statement":
                return "add_defer", {"expr": self.text(nodes.elements(node)[0])}
            case "go_statement":
                return "add_go", {"expr": self.text(nodes.elements(node)[0])}
            case "send_statement":
                chan, value = self._field(node, "channel"), self._field(node, "value")
                return "add_send", {"chan": chan, "value": value}
        raise Unexpressed(f"new {node.type}")

    def make_else(self, other: Node, at: str) -> None:
        """An else branch for an if that has none."""
        if other.type == nodes.IF:
            if nodes.find_field(other, "initializer") is not None:
                raise Unexpressed("init of a new if")
            made = self.add("add_else", at=at, cond=self._field(other, "condition"))
            self._fill(nodes.find_body(other), made)
            if (last := nodes.find_else(other)) is not None:
                self.make_else(last, made)
        else:
            self._fill(other, self.add("add_else", at=at))

    def make_clause(self, clause: Node, at: str, where: str) -> str:
        """A clause of a switch beside another one."""
        if clause.type == "default_case":
            made = self.add("add_case", at=at, where=where, is_default=True)
        elif clause.type == nodes.EXPR_CASE:
            value = nodes.find_field(clause, "value")
            exprs = [self.text(e) for e in nodes.elements(value)] if value else []
            made = self.add("add_case", at=at, where=where, exprs=exprs)
        else:
            raise Unexpressed(f"new {clause.type}")
        self._fill(clause, made)
        return made

    def text(self, node: Node) -> str:
        """The source text of a node."""
        return nodes.text_of(self.src, node)

    def _field(self, node: Node, name: str) -> str:
        found = nodes.find_field(node, name)
        if found is None:
            raise Unexpressed(f"new {node.type}")
        return self.text(found)

    def _sides(self, node: Node) -> Op:
        return {"lhs": self._field(node, "left"), "rhs": self._field(node, "right")}

    def _loop(self, node: Node) -> Op:
        head = nodes.find_header(node)
        if head is None:
            return {}
        if head.type == "range_clause":
            return {"range": self.text(head)}
        if head.type != "for_clause":
            return {"cond": self.text(head)}
        parts = (("init", "initializer"), ("cond", "condition"), ("post", "update"))
        found = {arg: nodes.find_field(head, name) for arg, name in parts}
        return {arg: self.text(part) for arg, part in found.items() if part is not None}

    def _fill(self, block: Node | None, made: str) -> None:
        assert block is not None
        inner = nodes.statements(block)
        start = inner[0].start_byte if inner else 0
        for node in inner:
            if start != node.start_byte and not is_plain(
                self.src[start : node.start_byte].decode()
            ):
                raise Unexpressed("blank line or comment in a new block")
            start = node.end_byte
            self.make(node, made, "last")


def is_plain(gap: str) -> bool:
    """Whether nothing but one line break is between two statements."""
    return gap.strip() == "" and gap.count("\n") == 1
