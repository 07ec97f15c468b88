"""add_else: give an if an else block, or an else-if."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, GoStmt, Handle
from grammar_ops.edit import Edit, Span
from grammar_ops.op import Bind, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.heads import if_head
from grammar_ops.syntax.layout import outer_indent
from grammar_ops.syntax.stmts import handle_of


class AddElse(StatementOp):
    """Add an empty else to an if, or with `cond` an else-if before the else that it has."""

    op: Literal["add_else"] = "add_else"
    at: Handle
    init: GoStmt = Field("", description="simple statement before that condition")
    cond: GoExpr = Field("", description="condition of an else-if; none for a plain else")

    reasons = {
        "add_else_wrong_node": "only an if has an else",
        "else_exists": "the if has an else already: fill that, or the last if of the chain",
    }
    example = [
        {"op": "add_if", "at": "n2", "where": "after", "cond": "h != nil"},
        {"op": "add_else", "at": "$1"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the branch directly behind the then-block; `$N` names it."""
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        branch = nodes.unlabeled(target.node)
        then, old = nodes.find_body(branch), nodes.find_else(branch)
        if branch.type != nodes.IF or then is None:
            raise Reject("add_else_wrong_node", f"{self.at} is a {branch.type}")
        if old is not None and not self.cond:
            name = handle_of(target.function, old)
            raise Reject("else_exists", name, did_you_mean=(name,))
        head = if_head(scope, self.init, self.cond) if self.cond or self.init else "{"
        indent = outer_indent(scope.source(target.path), then)
        text = f" else {head}\n{indent}}}".encode()
        edit = Edit(target.path, Span(then.end_byte, then.end_byte), text)
        end = len(text) + (branch.end_byte - then.end_byte)
        return self.rewrite(target, edit, bind=Bind(0, Span(len(b" else "), end)))
