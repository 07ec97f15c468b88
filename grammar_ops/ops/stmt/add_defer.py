"""add_defer: insert a deferred call."""

from __future__ import annotations

from typing import Literal

from grammar_ops.args import GoExpr, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import check_call


class AddDefer(StatementOp):
    """Insert `defer expr`: a call that runs when the function ends."""

    op: Literal["add_defer"] = "add_defer"
    at: Handle
    where: Placement
    expr: GoExpr

    example = [
        {"op": "add_defer", "at": "n1", "where": "after", "expr": 'fmt.Println("done")'},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion; a function literal must be called to be one."""
        return self.place(scope, self.at, self.where, f"defer {check_call(scope, self.expr)}")
