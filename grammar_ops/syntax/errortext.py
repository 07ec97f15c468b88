"""The expression that wraps an error: fmt.Errorf with a message, or one that the caller gives.

Invariant: a message is a text; only where values come with it is it a format.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.op import ImportWish
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.fragment import Fragment, check_expr, check_stmt
from grammar_ops.syntax.typefacts import qualify

_VERB = "%w"
_ERR = "err"


class Wish(NamedTuple):
    """What the caller says of the wrapping: one of the texts, values only for a message."""

    message: str
    args: list[str]
    wrapper: str
    instead: str


class ErrorText(NamedTuple):
    """What wraps an error, with `err` for its name, and the imports that it needs."""

    fragment: Fragment
    imports: tuple[ImportWish, ...]

    def render(self, name: str) -> str:
        """The expression for an error of a name."""
        if name == _ERR or self.fragment.node is None:
            return self.fragment.text
        start = self.fragment.node.start_byte
        text = self.fragment.text.encode()
        for node in reversed(_mentions(self.fragment)):
            low, high = node.start_byte - start, node.end_byte - start
            text = text[:low] + name.encode() + text[high:]
        return text.decode()


def read_text(scope: Scope, path: str, stmt: Node, wish: Wish) -> ErrorText:
    """The text that wraps at a statement; Reject(wrap_error_text) for none, or for several."""
    given = [text for text in (wish.message, wish.wrapper, wish.instead) if text]
    if len(given) != 1 or (wish.args and not wish.message):
        raise Reject("wrap_error_text", "several are given" if given else "none is given")
    if not wish.message:
        fragment = (
            check_expr(scope, wish.wrapper, "wrapper")
            if wish.wrapper
            else check_stmt(scope, wish.instead)
        )
        if fragment.node is not None and not _mentions(fragment):
            raise Reject("wrap_error_text", f"{fragment.text} does not use err")
        return ErrorText(fragment, ())
    values = [check_expr(scope, arg, "args").text for arg in wish.args]
    fmt, imports = qualify(scope, path, stmt.start_byte, "fmt")
    text = quote(_format(wish.message, bool(values)))
    call = f"{fmt}.Errorf({', '.join([text, *values, _ERR])})"
    return ErrorText(check_expr(scope, call, "message"), tuple(imports))


def _format(message: str, has_values: bool) -> str:
    if _VERB in message:
        return message
    return f"{message if has_values else message.replace('%', '%%')}: {_VERB}"


def quote(text: str) -> str:
    """A text as an interpreted string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    plain = re.sub(r"[\n\t\r]", lambda found: named[found[0]], escaped)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda c: f"\\x{ord(c[0]):02x}", plain) + '"'


def _mentions(fragment: Fragment) -> list[Node]:
    """Where an expression speaks of `err`."""
    if fragment.node is None:
        return []
    return [
        node
        for node in nodes.descendants(fragment.node)
        if node.type == nodes.IDENTIFIER and nodes.text_of(fragment.src, node) == _ERR
    ]
