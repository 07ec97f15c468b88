"""add_return: insert a return statement."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import check_expr


class AddReturn(StatementOp):
    """Insert a return statement."""

    op: Literal["add_return"] = "add_return"
    at: Handle
    where: Placement
    exprs: list[GoExpr] = Field(default=[], description="result expressions, one per result")

    example = [{"op": "add_return", "at": "n2", "where": "after", "exprs": ["h(2)"]}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion; arity and types are the compiler's to judge."""
        results = [check_expr(scope, expr, "exprs").text for expr in self.exprs]
        return self.place(scope, self.at, self.where, f"return {', '.join(results)}".rstrip())
