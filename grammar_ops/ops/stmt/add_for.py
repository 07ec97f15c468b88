"""add_for: insert a for loop with an empty block."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, GoStmt, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope
from grammar_ops.syntax.heads import for_head


class AddFor(StatementOp):
    """Insert a for: endless, with a condition, of three clauses, or over a range."""

    op: Literal["add_for"] = "add_for"
    at: Handle
    where: Placement
    init: GoStmt = Field("", description="simple statement that runs once before: `i := 0`")
    cond: GoExpr = Field("", description="condition, none for an endless loop")
    post: GoStmt = Field("", description="simple statement that runs after each round: `i++`")
    range: str = Field(
        "", description="range clause, such as `k, v := range xs` (slice, map, channel, int, func)"
    )

    example = [{"op": "add_for", "at": "n2", "where": "after", "cond": "h(0) > 0"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of the loop; `$N` names it, so `first` and `last` fill it."""
        head = for_head(scope, self.init, self.cond, self.post, self.range)
        return self.place(scope, self.at, self.where, head, "}")
