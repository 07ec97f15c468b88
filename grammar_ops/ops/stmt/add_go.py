"""add_go: start a call as a goroutine."""

from __future__ import annotations

from typing import Literal

from grammar_ops.args import GoExpr, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import check_call


class AddGo(StatementOp):
    """Insert `go expr`: a call that runs on its own."""

    op: Literal["add_go"] = "add_go"
    at: Handle
    where: Placement
    expr: GoExpr

    example = [{"op": "add_go", "at": "n2", "where": "after", "expr": "h(1)"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion; a function literal must be called to be one."""
        return self.place(scope, self.at, self.where, f"go {check_call(scope, self.expr)}")
