"""Code actions: the ops that fit at a cursor, by syntax alone, and what they still have to ask.

Invariant: pure functions of the buffer's text; whether an op is possible is the gate's to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tree_sitter import Node

from ago.fronts.lsp.convert import Text
from grammar_ops.reject import Json
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.decls import Decl, find_enclosing
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.stmts import Handle, list_handles

REWRITE, MOVE = "refactor.rewrite", "refactor.move"


@dataclass(frozen=True)
class Question:
    """An argument that the user is to be asked for."""

    arg: str
    prompt: str
    default: str = ""
    several: bool = False
    """Go expressions with commas between them."""
    optional: bool = False


@dataclass(frozen=True)
class Offer:
    """An op with its arguments so far."""

    title: str
    op: dict[str, Json]
    questions: tuple[Question, ...] = ()
    kind: str = REWRITE

    @property
    def is_complete(self) -> bool:
        """Whether the op can run with the defaults of its questions."""
        return all(q.default or q.optional for q in self.questions)

    def wire(self) -> dict[str, Json]:
        """The offer as a command's argument."""
        return {"op": self.op, "questions": [asdict(q) for q in self.questions]}


@dataclass(frozen=True)
class _Cursor:
    decl: Decl
    src: bytes
    at: int
    sym: str
    """The declaration, as a position in the buffer."""
    handles: list[Handle] = field(default_factory=list)
    """What encloses the cursor in the body, innermost first."""

    @property
    def on_head(self) -> bool:
        """Whether the cursor is in front of the body, or the declaration has none."""
        body = self.decl.body_span
        return body is None or self.at <= body.start

    @property
    def is_test(self) -> bool:
        """Whether the declaration stands in a test file."""
        return self.decl.path.endswith("_test.go")


def list_offers(path: str, src: bytes, at: int) -> list[Offer]:
    """The ops that fit at byte `at` of a buffer."""
    tree = parse(src)
    decl = find_enclosing(tree, src, at, path)
    if decl is None:
        return []
    line, col = Text(src).point(decl.name_span.start)
    around = [h for h in list_handles(decl).values() if _covers(h, src, at)]
    around.sort(key=lambda h: h.node.end_byte - h.node.start_byte)
    cursor = _Cursor(decl, src, at, f"{path}:{line}:{col}", around)
    return [offer for find in _FINDERS for offer in find(cursor)]


def fill(offer: Mapping[str, Any], answers: Mapping[str, str]) -> dict[str, Json]:
    """The op of an offer with the answers to its questions, or their defaults."""
    op: dict[str, Json] = dict(offer["op"])
    for row in offer.get("questions", ()):
        question = Question(**row)
        text = answers.get(question.arg, question.default).strip()
        if not text:
            continue
        op[question.arg] = [*split_exprs(text)] if question.several else text
    return op


def split_exprs(text: str) -> list[str]:
    """Go expressions or types between commas."""
    src = f"package p\n\nvar _ = f({text})\n".encode()
    for node in nodes.descendants(parse(src).root_node):
        if node.type == "argument_list":
            return [nodes.text_of(src, child) for child in nodes.elements(node)]
    return [text]


def _covers(handle: Handle, src: bytes, at: int) -> bool:
    """Whether a statement or clause holds `at`; the blank before it on its line counts."""
    start, end = handle.node.start_byte, handle.node.end_byte
    line = src.rfind(b"\n", 0, start) + 1
    begins = line if not src[line:start].strip() else start
    return handle.name != "n0" and begins <= at <= end


_WITHOUT_ERROR = frozenset(
    {
        "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len",
        "make", "max", "min", "new", "panic", "print", "println", "real", "recover",
        "any", "bool", "byte", "complex64", "complex128", "error", "float32", "float64",
        "int", "int8", "int16", "int32", "int64", "rune", "string", "uint", "uint8",
        "uint16", "uint32", "uint64", "uintptr",
    }
)  # fmt: skip
"""What is predeclared: a call or conversion that has no error to return."""


def _wrap_error(cursor: _Cursor) -> Iterator[Offer]:
    for handle in cursor.handles:
        if handle.kind != "stmt":
            continue
        call = _call_of(nodes.unlabeled(handle.node), cursor.src)
        if call is not None:
            message = Question("message", "What failed (the text before `: %w`)", _words(call))
            op: dict[str, Json] = {"op": "wrap_error", "sym": cursor.sym, "at": handle.name}
            yield Offer(f"Return the error of {call}, wrapped", op, (message,))
            return


def _call_of(stmt: Node, src: bytes) -> str | None:
    """The callee of the one call that a statement makes, None when it makes none."""
    if stmt.type not in (nodes.SHORT_VAR, nodes.ASSIGN, nodes.EXPR_STMT, nodes.RETURN, nodes.IF):
        return None
    whole = stmt.child_by_field_name("initializer") if stmt.type == nodes.IF else stmt
    for node in nodes.descendants(whole) if whole else ():
        if slots.is_call(node):
            callee = slots.callee_of(node)
            name = nodes.text_of(src, callee) if callee else ""
            return name if name and name not in _WITHOUT_ERROR else None
    return None


def _words(callee: str) -> str:
    """`s.readFile` as a message: `read file`."""
    name = callee.rpartition(".")[2]
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)).lower() or name


def _add_case(cursor: _Cursor) -> Iterator[Offer]:
    for handle in cursor.handles:
        node = nodes.unlabeled(handle.node)
        if node.type not in nodes.SWITCHES:
            continue
        op: dict[str, Json] = {"op": "add_case", "sym": cursor.sym, "at": handle.name}
        if node.type == nodes.SELECT:
            yield Offer("Add a case to the select", op, (Question("comm", "Wait for"),))
        else:
            what = "Types" if node.type == nodes.TYPE_SWITCH else "Expressions"
            asked = Question("exprs", f"{what} of the case", several=True)
            yield Offer("Add a case to the switch", op, (asked,))
        return


def _add_test(cursor: _Cursor) -> Iterator[Offer]:
    decl = cursor.decl
    if decl.kind in ("func", "method") and cursor.on_head and not cursor.is_test:
        yield Offer(f"Add a test of {decl.sym}", {"op": "add_test", "sym": cursor.sym})


def _add_test_case(cursor: _Cursor) -> Iterator[Offer]:
    if cursor.is_test and cursor.decl.kind == "func" and cursor.decl.sym.startswith("Test"):
        asked = (
            Question("name", "Name of the case"),
            Question("args", "Values of its first fields", several=True, optional=True),
            Question("want", "Values of its last fields", several=True, optional=True),
        )
        op: dict[str, Json] = {"op": "add_test_case", "sym": cursor.sym}
        yield Offer(f"Add a case to {cursor.decl.sym}", op, asked)


def _add_param(cursor: _Cursor) -> Iterator[Offer]:
    decl = cursor.decl
    if decl.kind in ("func", "method") and cursor.on_head:
        asked = (
            Question("name", "Name of the parameter"),
            Question("type", "Its type"),
            Question("default", "Argument for existing calls", optional=True),
        )
        op: dict[str, Json] = {"op": "add_param", "sym": cursor.sym}
        yield Offer(f"Add a parameter to {decl.sym}", op, asked)


def _implement(cursor: _Cursor) -> Iterator[Offer]:
    decl = cursor.decl
    if decl.kind == "type" and not nodes.takes_no_methods(decl.node):
        op: dict[str, Json] = {"op": "implement_interface", "sym": cursor.sym}
        asked = Question("interface", "Interface, such as io.Reader")
        yield Offer(f"Implement an interface with {decl.sym}", op, (asked,))


def _move(cursor: _Cursor) -> Iterator[Offer]:
    decl = cursor.decl
    if decl.kind != "method" and cursor.on_head:
        op: dict[str, Json] = {"op": "move_decl", "sym": cursor.sym}
        to_pkg = Question("to_pkg", "Package or folder that it goes to")
        yield Offer(f"Move {decl.sym} to another package", op, (to_pkg,), MOVE)
        to_file = Question("to_file", "File of its package that it goes to")
        yield Offer(f"Move {decl.sym} to another file", op, (to_file,), MOVE)


_FINDERS: tuple[Callable[[_Cursor], Iterator[Offer]], ...] = (
    _wrap_error, _add_case, _add_test, _add_test_case, _add_param, _implement, _move,
)  # fmt: skip
