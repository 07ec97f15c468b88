"""add_if: insert an if statement with an empty block."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, GoStmt, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope
from grammar_ops.syntax.heads import if_head


class AddIf(StatementOp):
    """Insert an if with an empty block; `$N` fills it, `$N.else` the else."""

    op: Literal["add_if"] = "add_if"
    at: Handle
    where: Placement
    init: GoStmt = Field("", description="simple statement before the condition: `err := f()`")
    cond: GoExpr
    with_else: bool = Field(False, alias="else", description="add an empty else block as well")

    example = [{"op": "add_if", "at": "n2", "where": "after", "cond": "h != nil", "else": False}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of the empty branches."""
        head = if_head(scope, self.init, self.cond)
        lines = [head, "} else {", "}"] if self.with_else else [head, "}"]
        return self.place(scope, self.at, self.where, *lines)
