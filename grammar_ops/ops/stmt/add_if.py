"""add_if: insert an if statement with an empty block."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import check_expr, header_text


class AddIf(StatementOp):
    """Insert an if with an empty then-block; `$N` names the if, so `first` and `last` fill it."""

    op: Literal["add_if"] = "add_if"
    at: Handle
    where: Placement
    cond: GoExpr
    with_else: bool = Field(False, alias="else", description="add an empty else block as well")

    example = [{"op": "add_if", "at": "n2", "where": "after", "cond": "h != nil", "else": False}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of the empty branches."""
        cond = header_text(check_expr(scope, self.cond, "cond"))
        lines = [f"if {cond} {{", "} else {", "}"] if self.with_else else [f"if {cond} {{", "}"]
        return self.place(scope, self.at, self.where, *lines)
