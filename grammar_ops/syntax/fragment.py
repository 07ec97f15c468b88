"""Argument texts: checked by the Go parser, and made safe for the place they go to.

Invariant: a text reaches the source only after the Go parser took it; the tree is used for shape
alone (precedence, calls, trailing comments), and where it has errors the text gets parentheses.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.parse import find_errors, parse

register(
    "grammar",
    {
        "expr_does_not_parse": "an argument is no Go expression",
        "needs_call_expr": "the expression must be a call; a receive where a statement may be one",
        "type_does_not_parse": "an argument is no Go type",
        "replacement_does_not_parse": "the text is not what the slot holds",
    },
)

KEYWORDS = frozenset(
    {
        "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough",
        "for", "func", "go", "goto", "if", "import", "interface", "map", "package", "range",
        "return", "select", "struct", "switch", "type", "var",
    }
)  # fmt: skip
_EXPR_HEAD = b"package p\n\nvar _ = "
_BODY_HEAD = b"package p\n\nfunc _() {\n"


class Fragment(NamedTuple):
    """A parsed argument: the text it came from and its node, None where the tree has errors."""

    src: bytes
    node: Node | None

    @property
    def text(self) -> str:
        """The text without comments around it."""
        return nodes.text_of(self.src, self.node) if self.node else self.src.decode()


def is_identifier(name: str) -> bool:
    """Whether `name` is a Go identifier and no keyword."""
    if not name or name in KEYWORDS or name[0].isdigit():
        return False
    return all(c == "_" or unicodedata.category(c)[0] == "L" or c.isdecimal() for c in name)


def check_expr(scope: Scope, text: str, arg: str) -> Fragment:
    """An expression argument; Reject(expr_does_not_parse) with the Go parser's word."""
    complaint = _complain(scope, "expr", text)
    if complaint is not None:
        raise Reject("expr_does_not_parse", f"{arg}: {complaint}")
    return parse_expr(text)


def check_type(scope: Scope, text: str, arg: str) -> str:
    """A type argument; Reject(type_does_not_parse) with the Go parser's word."""
    complaint = _complain(scope, "type", text)
    if complaint is not None:
        raise Reject("type_does_not_parse", f"{arg}: {complaint}")
    return text.strip()


def _complain(scope: Scope, kind: str, text: str) -> str | None:
    """What is wrong with a fragment; a mere name needs no asking."""
    if not text.strip():
        return "the text is empty"
    return None if is_identifier(text) else scope.check_fragment(kind, text)


def check_call(scope: Scope, text: str) -> str:
    """The call of a go or defer, which takes no parentheses around it; Reject(needs_call_expr)."""
    expr = check_expr(scope, text, "expr")
    node = expr.node
    while node is not None and node.type == nodes.PAREN:
        node = nodes.elements(node)[0]
    called = slots.is_call(node) if node is not None else _is_called(scope, text)
    if not called:
        raise Reject("needs_call_expr", text)
    return nodes.text_of(expr.src, node) if node is not None else expr.text


def _is_called(scope: Scope, text: str) -> bool:
    """Whether an expression that the tree has errors in is a call, by the Go parser's word."""
    return scope.check_fragment("stmts", f"go {text}") is None


def check_stmt(scope: Scope, text: str) -> Fragment:
    """A text that is one statement; Reject(replacement_does_not_parse) otherwise."""
    complaint = scope.check_fragment("stmts", text)
    src = _BODY_HEAD + text.encode() + b"\n}\n"
    found = list_body(src) if complaint is None else []
    if complaint is None and len(found) != 1:
        complaint = f"one statement is wanted, found {len(found)}"
    if complaint is not None:
        raise Reject("replacement_does_not_parse", complaint)
    return Fragment(src, found[0])


def list_body(src: bytes) -> list[Node]:
    """The statements of the one function of a wrapped fragment."""
    function = parse(src).root_node.named_children[-1]
    body = nodes.find_field(function, "body")
    return nodes.statements(body) if body else []


def parse_expr(text: str) -> Fragment:
    """An expression that is known to be Go, with its node."""
    src = _EXPR_HEAD + text.encode() + b"\n"
    root = parse(src).root_node
    value = next((n for n in nodes.descendants(root) if n.type == "expression_list"), None)
    if value is None or any(True for _ in find_errors(root)):
        return Fragment(text.strip().encode(), None)
    return Fragment(src, nodes.elements(value)[0])


def is_call(scope: Scope, fragment: Fragment) -> bool:
    """Whether an expression, parentheses ignored, is a call or a receive: a statement by itself."""
    node = fragment.node
    if node is None:
        return fragment.text.startswith("<-") or _is_called(scope, fragment.text)
    while node.type == nodes.PAREN:
        node = nodes.elements(node)[0]
    return slots.is_call(node) or slots.is_receive(node)


def header_text(fragment: Fragment) -> str:
    """The text for an if, for or switch header, where `T{}` would open the block (spec, Composite
    literals: parsing ambiguity): such literals get parentheses."""
    if fragment.node is None:
        return fragment.text
    text, start = fragment.text.encode(), fragment.node.start_byte
    for node in reversed(list(_bare_literals(fragment.node))):
        low, high = node.start_byte - start, node.end_byte - start
        text = text[:low] + b"(" + text[low:high] + b")" + text[high:]
    return text.decode()


def _bare_literals(node: Node) -> list[Node]:
    if node.type == nodes.COMPOSITE and nodes.is_named_literal(node):
        return [node]
    if node.type in nodes.BRACKETED:
        return []
    return [found for child in node.children for found in _bare_literals(child)]


def slot_text(scope: Scope, text: str, slot: Node, src: bytes) -> str:
    """The text for a slot: a statement, a whole list, an element of a literal, an expression."""
    if slots.is_statement_slot(slot):
        return check_stmt(scope, text).text
    if slots.is_element(slot):
        return _element_text(scope, text)
    brackets = slots.list_brackets(slot)
    if brackets is not None:
        return _list_text(scope, text, brackets)
    return operand_text(check_expr(scope, text, "expr"), slot, src)


def _element_text(scope: Scope, text: str) -> str:
    """An element of a literal, which may have a key and may leave its type out."""
    literal = check_expr(scope, f"_{{{text}}}", "expr")
    body = nodes.find_field(literal.node, "body") if literal.node is not None else None
    if body is not None and len(nodes.elements(body)) != 1:
        raise Reject("replacement_does_not_parse", f"{text} is not one element")
    return literal.text[2:-1].strip().removesuffix(",")


def _list_text(scope: Scope, text: str, brackets: str) -> str:
    """A whole list, with its brackets where it has some."""
    opening, closing = (brackets or "()")[0], (brackets or "()")[1]
    listed = check_expr(scope, f"_{opening}{text}{closing}", "expr").text
    return listed[1:] if brackets else listed[2:-1].strip().removesuffix(",")


def operand_text(fragment: Fragment, slot: Node, src: bytes) -> str:
    """The text for an operand's place, in parentheses where its operator binds less tightly."""
    text = header_text(fragment) if slots.in_header(slot) else fragment.text
    parens = _needs_parens(fragment.node, slot) or _joins(text, slot, src)
    return f"({text})" if parens else text


_OPERATORS = b"+-*/%&|^<>=!"


def _joins(text: str, slot: Node, src: bytes) -> bool:
    """Whether the first operator of a text would be one token with the one before: `a--b`."""
    before = src[slot.start_byte - 1 : slot.start_byte]
    return slots.is_operand(slot) and before in _OPERATORS and text[:1].encode() in _OPERATORS


def _needs_parens(node: Node | None, slot: Node) -> bool:
    parent = slot.parent
    if parent is None or not slots.is_operand(slot):
        return False
    if node is None:
        return True
    if node.type == nodes.BINARY:
        if parent.type != nodes.BINARY:
            return True
        own, outer = slots.precedence_of(node), slots.precedence_of(parent)
        return own < outer or (own == outer and nodes.find_field(parent, "right") == slot)
    return parent.type not in (nodes.BINARY, nodes.UNARY) and not slots.is_primary(node)
