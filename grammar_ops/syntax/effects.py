"""Effects of expressions: what runs when an argument is evaluated, and would run no more.

Invariant: what is not known to be without effect has one; only calls and receives are asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from grammar_ops.reject import Json
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, slots

_BUILTINS = frozenset({"len", "cap", "min", "max", "real", "imag", "complex", "new", "make"})
_PURE = frozenset(
    {
        "context.Background", "context.TODO", "errors.New", "fmt.Errorf", "fmt.Sprint",
        "fmt.Sprintf", "fmt.Sprintln", "path/filepath.Base", "path/filepath.Clean",
        "path/filepath.Dir", "path/filepath.Ext", "path/filepath.Join", "reflect.TypeOf",
        "reflect.ValueOf", "testing.common.Context",
    }
)  # fmt: skip
"""Functions of the standard library that are often written as an argument; more than these would
have to be judged one by one."""
_PURE_PACKAGES = frozenset(
    {"bytes", "cmp", "math", "math/bits", "path", "strconv", "strings", "unicode", "unicode/utf8"}
)


def find_effects(scope: Scope, path: str, node: Node) -> Iterator[Node]:
    """The calls and receives of an expression that may do something, in the order they run."""
    if node.type == nodes.FUNC_LIT:
        return
    for child in node.named_children:
        yield from find_effects(scope, path, child)
    if slots.is_receive(node) or (slots.is_call(node) and not _is_pure(scope, path, node)):
        yield node


def _is_pure(scope: Scope, path: str, call: Node) -> bool:
    span = nodes.span_of(call)
    answer = scope.ask({"kind": "call_targets", "file": path, "start": span.start, "end": span.end})
    found = answer.get("targets")
    if not isinstance(found, list):
        return False
    for target in found:
        if isinstance(target, dict) and not _is_harmless(target):
            return False
    # Without a target it is a conversion, or a call of a literal or another call's result.
    return bool(found) or _is_conversion(scope, path, call)


def _is_harmless(target: Mapping[str, Json]) -> bool:
    pkg, sym = str(target.get("pkg") or ""), str(target.get("sym") or "")
    if target.get("kind") in ("type", "alias"):
        return True
    if target.get("kind") == "builtin":
        return str(target.get("name")) in _BUILTINS
    return f"{pkg}.{sym}" in _PURE or (pkg in _PURE_PACKAGES and "." not in sym)


def _is_conversion(scope: Scope, path: str, call: Node) -> bool:
    callee = slots.callee_of(call)
    if callee is None:
        return False
    span = nodes.span_of(callee)
    answer = scope.ask({"kind": "type_at", "file": path, "start": span.start, "end": span.end})
    return answer.get("mode") == "type"
