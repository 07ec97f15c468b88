"""Edits of a few statements: where two bodies differ, as statement ops on handles of the old one.

What the ops can't place (comments that come or go, blank lines of their own, statements that no op
makes) is not expressed here: the body is then set as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from tree_sitter import Node

from bench.oracle.making import Maker, Unexpressed, is_plain
from bench.oracle.step import Op
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.stmts import list_handles

FEW = 12
Row = tuple[str, int, int, int, int]
_TOPIC = re.compile(r"[\w.]+(?=\s|\()|[^=(]+?(?=\s*:?=)")


def change_statements(
    address: Op, old: Decl, old_src: bytes, new: Decl, new_src: bytes
) -> tuple[list[Op], str]:
    """The ops that turn one body into the other, or what is in the way of them."""
    differ = _Differ(address, old, old_src, new_src)
    before = nodes.find_field(old.node, "body")
    after = nodes.find_field(new.node, "body")
    assert before is not None and after is not None
    try:
        differ.lists(before, after)
    except Unexpressed as what:
        return [], str(what)
    few = len(differ.maker.ops) <= FEW
    return (differ.maker.ops, "") if few else ([], "many statements")


class _Differ:
    def __init__(self, address: Op, old: Decl, old_src: bytes, new_src: bytes) -> None:
        self.old_src, self.new_src = old_src, new_src
        self.maker = Maker(address, new_src)
        self.handles = {handle.node.id: name for name, handle in list_handles(old).items()}

    def old(self, node: Node) -> str:
        return nodes.text_of(self.old_src, node)

    def new(self, node: Node) -> str:
        return nodes.text_of(self.new_src, node)

    def lists(self, before: Node, after: Node) -> None:
        """The statements of a block or clause."""
        olds, news = nodes.statements(before), nodes.statements(after)
        rows = list(self._rows(olds, news))
        old_gaps = list(_gaps(self.old_src, before, olds))
        new_gaps = list(_gaps(self.new_src, after, news))
        for kind, i1, i2, j1, j2 in rows:
            if kind == "equal":
                if old_gaps[i1 + 1 : i2] != new_gaps[j1 + 1 : j2]:
                    raise Unexpressed("blank line or comment")
            elif kind == "replace" and i2 - i1 == j2 - j1:
                if old_gaps[i1 : i2 + 1] != new_gaps[j1 : j2 + 1]:
                    raise Unexpressed("blank line or comment")
                for k, (o, n) in enumerate(zip(olds[i1:i2], news[j1:j2], strict=True), i1):
                    self._replace(o, n, bare=not (old_gaps[k] + old_gaps[k + 1]).strip())
            elif kind == "insert":
                self._insert(before, olds, i1, news[j1:j2], old_gaps[i1], new_gaps[j1 : j2 + 1])
            elif kind == "delete":
                self._delete(olds[i1:i2], old_gaps[i1 : i2 + 1], new_gaps[j1])
            else:
                raise Unexpressed("statements of other kinds")
        self._edges(rows, old_gaps, new_gaps)

    def _rows(self, olds: list[Node], news: list[Node]) -> Iterator[Row]:
        """Opcodes over two lists; what differs is paired once more by what it is about."""
        texts = [self.old(n) for n in olds], [self.new(n) for n in news]
        topics = [_topic(t) for t in texts[0]], [_topic(t) for t in texts[1]]
        for kind, i1, i2, j1, j2 in _match(*texts):
            if kind != "replace":
                yield kind, i1, i2, j1, j2
                continue
            for inner, a1, a2, b1, b2 in _match(topics[0][i1:i2], topics[1][j1:j2]):
                name = "replace" if inner == "equal" else inner
                yield name, i1 + a1, i1 + a2, j1 + b1, j1 + b2

    def _edges(self, rows: list[Row], old_gaps: list[str], new_gaps: list[str]) -> None:
        """What stands before the first statement and behind the last, where those stay."""
        for row, place in ((rows[:1], 0), (rows[-1:], -1)):
            if (not row or row[0][0] == "equal") and old_gaps[place] != new_gaps[place]:
                raise Unexpressed("blank line or comment")

    def _insert(
        self, owner: Node, olds: list[Node], at: int, news: list[Node], gap: str, gaps: list[str]
    ) -> None:
        if not all(map(is_plain, gaps[1:-1])):
            raise Unexpressed("blank line or comment")
        mate = olds[at - 1] if at > 0 else None
        follower = olds[at] if at < len(olds) else None
        if mate is not None and is_plain(gaps[0]) and gaps[-1] == gap:
            where, handle = "after", self._handle(mate)
        elif follower is not None and is_plain(gaps[-1]) and gaps[0] == gap:
            where, handle = "before", self._handle(follower)
        elif not olds and is_plain(gaps[0]) and is_plain(gaps[-1]):
            where, handle = "last", self._handle(owner)
        else:
            raise Unexpressed("blank line or comment")
        for node in news:
            made = self.maker.make(node, handle, where)
            if where == "after":
                handle = made

    def _delete(self, gone: list[Node], gaps: list[str], gap: str) -> None:
        if any(g.strip() for g in gaps) or gap not in (gaps[0], gaps[-1]):
            raise Unexpressed("blank line or comment")
        for node in gone:
            self.maker.add("delete_node", at=self._handle(node))

    def _replace(self, old: Node, new: Node, *, bare: bool) -> None:
        """A statement in the place of another; a new one where no part of it can be changed."""
        count = len(self.maker.ops)
        try:
            self.changed(old, new)
        except Unexpressed:
            del self.maker.ops[count:]
            if not bare or nodes.holds_statements(old):
                raise
            self.maker.make(new, self._handle(old), "before")
            self.maker.add("delete_node", at=self._handle(old))

    def changed(self, old: Node, new: Node) -> None:
        """One statement that became another."""
        if old.type != new.type:
            raise Unexpressed("statement of another kind")
        if old.type == nodes.IF:
            self._if(old, new)
        elif old.type == nodes.FOR:
            self._for(old, new)
        elif old.type in nodes.SWITCHES:
            self._switch(old, new)
        elif nodes.is_block(old):
            self.lists(old, new)
        else:
            self._slots(old, new, self._handle(old))

    def _if(self, old: Node, new: Node) -> None:
        self._same(nodes.find_field(old, "initializer"), nodes.find_field(new, "initializer"))
        self._cond(old, nodes.find_field(old, "condition"), nodes.find_field(new, "condition"))
        then, now = nodes.find_body(old), nodes.find_body(new)
        assert then is not None and now is not None
        self.lists(then, now)
        other, others = nodes.find_else(old), nodes.find_else(new)
        if other is not None and others is not None:
            if self.old(other) != self.new(others):
                self.changed(other, others)
        elif others is not None:
            self.maker.make_else(others, self._handle(old))
        elif other is not None:
            raise Unexpressed("else that goes")

    def _for(self, old: Node, new: Node) -> None:
        before, after = nodes.find_header(old), nodes.find_header(new)
        if before is not None and after is not None and self.old(before) != self.new(after):
            if nodes.is_plain_for(old) and before.type == after.type != "for_clause":
                self._cond(old, before, after)
            else:
                self._parts(old, new, self._handle(old))
        elif (before is None) != (after is None):
            raise Unexpressed("header of a for")
        body, now = nodes.find_body(old), nodes.find_body(new)
        assert body is not None and now is not None
        self.lists(body, now)

    def _cond(self, owner: Node, old: Node | None, new: Node | None) -> None:
        if old is not None and new is not None and self.old(old) != self.new(new):
            self.maker.add("set_cond", at=self._handle(owner), expr=self._plain(new))

    def _switch(self, old: Node, new: Node) -> None:
        before, after = nodes.clauses(old), nodes.clauses(new)
        if self._head(self.old_src, old, before) != self._head(self.new_src, new, after):
            raise Unexpressed("head of a switch")
        heads = [self._case(self.old_src, c) for c in before]
        rows = _match(heads, [self._case(self.new_src, c) for c in after])
        for kind, i1, i2, j1, j2 in rows:
            if kind == "equal":
                for o, n in zip(before[i1:i2], after[j1:j2], strict=True):
                    if self.old(o) != self.new(n):
                        self.lists(o, n)
            elif kind == "insert" and i1 > 0:
                handle = self._handle(before[i1 - 1])
                for clause in after[j1:j2]:
                    handle = self.maker.make_clause(clause, handle, "after")
            else:
                raise Unexpressed("clauses")

    def _head(self, src: bytes, switch: Node, clauses: list[Node]) -> str:
        end = clauses[0].start_byte if clauses else switch.end_byte
        return src[switch.start_byte : end].decode()

    def _case(self, src: bytes, clause: Node) -> str:
        return src[clause.start_byte : nodes.clause_colon(clause).end_byte].decode()

    def _slots(self, old: Node, new: Node, name: str) -> None:
        """A statement or expression with the same slots as before, some of other content."""
        if old.type == nodes.FUNC_LIT:
            body, now = nodes.find_body(old), nodes.find_body(new)
            assert body is not None and now is not None
            if (
                self.old_src[old.start_byte : body.start_byte]
                != self.new_src[new.start_byte : now.start_byte]
            ):
                raise Unexpressed("function literal")
            self.lists(body, now)
            return
        self._parts(old, new, name)

    def _parts(self, old: Node, new: Node, name: str) -> None:
        olds, news = list(slots.list_slots(old)), list(slots.list_slots(new))
        if [n for n, _ in olds] != [n for n, _ in news] or not olds:
            raise Unexpressed("parts of an expression")
        if nodes.find_body(old) is None and _frame(self.old_src, old, olds) != _frame(
            self.new_src, new, news
        ):
            raise Unexpressed("parts of an expression")
        for (slot, o), (_, n) in zip(olds, news, strict=True):
            if self.old(o) == self.new(n):
                continue
            count = len(self.maker.ops)
            try:
                if o.type != n.type:
                    raise Unexpressed("kind of an expression")
                self._slots(o, n, f"{name}.{slot}")
            except Unexpressed:
                del self.maker.ops[count:]
                if "func" in self.new(n):
                    raise
                self.maker.add("replace_expr", at=f"{name}.{slot}", expr=self._plain(n))

    def _plain(self, node: Node) -> str:
        text = self.new(node)
        if any(child.type == nodes.COMMENT for child in nodes.descendants(node)):
            raise Unexpressed("comment")
        return text

    def _same(self, old: Node | None, new: Node | None) -> None:
        if (old and self.old(old)) != (new and self.new(new)):
            raise Unexpressed("init")

    def _handle(self, node: Node) -> str:
        if node.id not in self.handles:
            raise Unexpressed("no handle")
        return self.handles[node.id]


def _match(olds: Sequence[str], news: Sequence[str]) -> list[Row]:
    return SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()  # type: ignore[return-value]


def _topic(text: str) -> str:
    """What a statement is about: its keyword, callee or left side."""
    found = _TOPIC.match(text)
    return found[0] if found else text


def _gaps(src: bytes, owner: Node, inner: list[Node]) -> Iterator[str]:
    """What stands before each statement and behind the last, indentation left out."""
    if owner.type in nodes.CLAUSES:
        start, end = nodes.clause_colon(owner).end_byte, owner.end_byte
        if inner:
            end = max(end, inner[-1].end_byte)
    else:
        start, end = owner.start_byte + 1, owner.end_byte - 1
    for node in inner:
        yield _unindented(src[start : node.start_byte])
        start = node.end_byte
    yield _unindented(src[start:end])


def _unindented(gap: bytes) -> str:
    return "\n".join(line.strip() for line in gap.decode().split("\n"))


def _frame(src: bytes, node: Node, parts: list[tuple[str, Node]]) -> str:
    """The text of a node around its slots."""
    at, out = node.start_byte, []
    for _, part in parts:
        out.append(src[at : part.start_byte].decode())
        at = part.end_byte
    return "\0".join([*out, src[at : node.end_byte].decode()])
