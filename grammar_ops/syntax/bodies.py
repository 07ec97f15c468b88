"""Function bodies as argument texts: a list of statements, or the whole function.

Invariant: a text is one body and nothing more; raw strings and comments keep their bytes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import list_decls
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.signature import list_params

_NUMBER = re.compile(r"u?int(?:8|16|32|64|ptr)?|byte|rune|float(?:32|64)|complex(?:64|128)")
_FILE_HEAD = b"package p\n\n"
_FUNC_HEAD = b"package p\n\nfunc _() {\n"


class WholeFunction(NamedTuple):
    """A function given as text: its source and node, the text before and between its braces."""

    src: bytes
    node: Node
    head: str
    body: str


def body_of_function(scope: Scope, text: str) -> WholeFunction | None:
    """The function that a text declares, None when the text is not a whole function."""
    src = _FILE_HEAD + text.strip().encode() + b"\n"
    found = nodes.elements(parse(src).root_node)[1:]
    if len(found) != 1 or found[0].type not in nodes.FUNC_DECLS:
        return None
    body = nodes.find_field(found[0], "body")
    if body is None or scope.check_fragment("decl", text.strip()) is not None:
        return None
    inner = src[body.start_byte + 1 : body.end_byte - 1].decode()
    head = src[found[0].start_byte : body.start_byte].decode().strip()
    return WholeFunction(src, found[0], head, inner)


def split_function(text: str) -> tuple[str, str, str, list[str]] | None:
    """(address, head, body, `name=zero` of each parameter) of a text that is one function."""
    src = _FILE_HEAD + text.strip().encode() + b"\n"
    tree = parse(src)
    found = [node for node in nodes.elements(tree.root_node)[1:] if node.type in nodes.FUNC_DECLS]
    decls = list_decls(tree, src)
    body = nodes.find_field(found[0], "body") if len(found) == len(decls) == 1 else None
    if body is None or tree.root_node.has_error:
        return None
    head = src[found[0].start_byte : body.start_byte].decode().strip()
    inner = src[body.start_byte + 1 : body.end_byte - 1].decode()
    zeros = [
        f"{name}={zero_of(nodes.text_of(src, type_))}"
        for param in list_params(found[0], src)
        if (type_ := nodes.find_field(param.node, "type")) and not param.variadic
        for name in param.names
    ]
    return decls[0].sym, head, inner, zeros


def zero_of(type_: str) -> str:
    """The zero value of a type, as far as its text alone tells: that of a named one is `T{}`."""
    text = type_.strip()
    if text == "context.Context":
        return "context.TODO()"
    if text in ("string", "bool"):
        return '""' if text == "string" else "false"
    if _NUMBER.fullmatch(text):
        return "0"
    plain = text[:1] in "*[<(" and not re.match(r"\[\s*[^\]\s]", text)
    if plain or text in ("error", "any") or text.startswith(("map[", "chan", "func", "interface")):
        return "nil"
    return f"{text}{{}}"


def check_body(scope: Scope, text: str) -> str | None:
    """The complaint on a text as the statements of one body, None when it is that."""
    if not text.strip():
        return None
    complaint = scope.check_fragment("stmts", text)
    if complaint is not None:
        return complaint
    root = parse(_FUNC_HEAD + text.encode() + b"\n}\n").root_node
    if not root.has_error and len(nodes.elements(root)) != 2:
        return "the text closes the function and goes on"
    return None
