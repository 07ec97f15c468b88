"""Heads of new statements: the text from `for`, `if`, `switch` or `case` on, made of arguments.

Invariant: a head reaches the source only after the Go parser took all of it as one statement.
"""

from __future__ import annotations

import re

from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.fragment import check_expr, check_stmt, check_type, header_text

register(
    "grammar",
    {
        "cond_range_exclusive": "a for has a range clause, or a condition with init and post",
        "range_does_not_parse": "the range clause is no Go: `k, v := range xs`",
    },
)

_RANGE = re.compile(r"(?P<left>[^\"`']*?)\brange\b(?P<right>.+)", re.DOTALL)
_GUARD = re.compile(r"(?:(?P<bind>\w+)\s*:=\s*)?(?P<x>.+)\.\(\s*type\s*\)", re.DOTALL)


def for_head(scope: Scope, init: str, cond: str, post: str, range_clause: str) -> str:
    """The head of a for of one of the four kinds; Reject(cond_range_exclusive)."""
    if range_clause.strip() and (init or cond or post):
        raise Reject("cond_range_exclusive", facts={"drop": [["range"], ["init", "cond", "post"]]})
    if range_clause.strip():
        return _range_head(scope, range_clause)
    middle = header_text(check_expr(scope, cond, "cond")) if cond else ""
    if not init and not post:
        return f"for {middle} {{" if middle else "for {"
    first, last = simple_text(scope, init), simple_text(scope, post)
    head = f"for {first}; {middle}; {last}".rstrip() + " {"
    check_stmt(scope, f"{head}\n}}")
    return head


def _range_head(scope: Scope, clause: str) -> str:
    """The head of a range loop; what is ranged over may be given alone."""
    match = _RANGE.fullmatch(clause.strip())
    left, right = (match["left"].strip(), match["right"]) if match else ("", clause)
    over = header_text(check_expr(scope, right, "range"))
    head = f"for {left} range {over} {{" if left else f"for range {over} {{"
    try:
        loop = check_stmt(scope, f"{head}\n}}").node
    except Reject as reject:
        raise Reject("range_does_not_parse", reject.detail) from None
    if loop is not None and (loop.type != nodes.FOR or nodes.is_plain_for(loop)):
        raise Reject("range_does_not_parse", clause)
    return head


def condition_head(scope: Scope, keyword: str, text: str) -> str:
    """The head of an if or for by its condition, or by all that stands in its header."""
    try:
        return f"{keyword} {header_text(check_expr(scope, text, 'cond'))} {{"
    except Reject as no_condition:
        head = f"{keyword} {text.strip()} {{"
        try:
            stmt = check_stmt(scope, f"{head}\n}}").node
        except Reject:
            raise no_condition from None
        if stmt is None or stmt.type not in (nodes.IF, nodes.FOR) or nodes.find_else(stmt):
            raise
        return head


def if_head(scope: Scope, init: str, cond: str) -> str:
    """The head of an if."""
    text = header_text(check_expr(scope, cond, "cond"))
    return f"if {simple_text(scope, init)}; {text} {{" if init else f"if {text} {{"


def simple_text(scope: Scope, text: str) -> str:
    """A simple statement (spec, Simple statements) as a header takes it; "" stays empty."""
    if not text.strip():
        return ""
    stmt = check_stmt(scope, text)
    if stmt.node is not None and not slots.is_simple(stmt.node):
        raise Reject("replacement_does_not_parse", f"{stmt.text} is no simple statement")
    return header_text(stmt)


def switch_head(scope: Scope, init: str, tag: str) -> str:
    """The head of an expression switch."""
    first = simple_text(scope, init)
    head = header_text(check_expr(scope, tag, "tag")) if tag else ""
    if first:
        return f"switch {first}; {head}".rstrip() + " {"
    return f"switch {head} {{" if head else "switch {"


def type_switch_head(scope: Scope, init: str, subject: str, bind: str) -> str:
    """The head of a type switch over `subject`, whose value the clauses call `bind`."""
    operand = check_expr(scope, subject, "type_switch")
    text = header_text(operand)
    if operand.node is None or not slots.is_primary(operand.node):
        text = f"({text})"
    first = simple_text(scope, init)
    before = (f"{first}; " if first else "") + (f"{bind} := " if bind else "")
    return f"switch {before}{text}.(type) {{"


def split_guard(tag: str) -> tuple[str, str] | None:
    """(bind, subject) of a tag that is the guard of a type switch, `v := x.(type)`."""
    match = _GUARD.fullmatch(tag.strip())
    return (match["bind"] or "", match["x"]) if match else None


def case_head(scope: Scope, switch: str, exprs: list[str], comm: str) -> str:
    """The head of a clause of a switch of the kind `switch`."""
    if switch == nodes.SELECT:
        head = f"case {comm.strip()}:"
        _check_clause(scope, "select", head)
        return head
    if switch == nodes.TYPE_SWITCH:
        return f"case {', '.join(check_type(scope, text, 'exprs') for text in exprs)}:"
    return f"case {', '.join(check_expr(scope, text, 'exprs').text for text in exprs)}:"


def case_values(scope: Scope, clause: str, text: str) -> str:
    """What a clause of the kind `clause` is to be for: an expression or type, or a list of them;
    Reject(expr_does_not_parse)."""
    switch = "switch any(nil).(type)" if clause == nodes.TYPE_CASE else "switch"
    complaint = scope.check_fragment("stmts", f"{switch} {{\ncase {text}:\n}}")
    if complaint is not None:
        raise Reject("expr_does_not_parse", f"expr: {complaint}")
    _check_clause(scope, switch, f"case {text.strip()}:")
    return text.strip()


def _check_clause(scope: Scope, switch: str, head: str) -> None:
    node = check_stmt(scope, f"{switch} {{\n{head}\n}}").node
    found = nodes.clauses(node) if node is not None else []
    if node is not None and (len(found) != 1 or nodes.statements(found[0])):
        raise Reject("replacement_does_not_parse", f"{head} is not one clause")
