"""add_call: insert a call or receive statement."""

from __future__ import annotations

from typing import Literal

from grammar_ops.args import GoExpr, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import check_expr, is_call


class AddCall(StatementOp):
    """Insert a call, or a receive from a channel, as a statement."""

    op: Literal["add_call"] = "add_call"
    at: Handle
    where: Placement
    expr: GoExpr

    example = [{"op": "add_call", "at": "n2", "where": "after", "expr": "fmt.Println(h(1))"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of the expression as typed."""
        expr = check_expr(scope, self.expr, "expr")
        if not is_call(scope, expr):
            raise Reject("needs_call_expr", self.expr)
        return self.place(scope, self.at, self.where, expr.text)
