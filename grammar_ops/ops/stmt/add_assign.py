"""add_assign: insert an assignment or a short variable declaration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import slots
from grammar_ops.syntax.fragment import check_stmt, is_identifier


class AddAssign(StatementOp):
    """Insert `lhs = rhs`, or `lhs := rhs` with define."""

    op: Literal["add_assign"] = "add_assign"
    at: Handle
    where: Placement
    lhs: str = Field(description="what is assigned to: a variable, field or element, or a list")
    rhs: GoExpr = Field(description="the value, or a list of values")
    define: bool = Field(False, description="declare new variables with :=")

    reasons = {"lhs_not_identifier": "what := declares must be identifiers"}
    example = [
        {"op": "add_assign", "at": "n2", "where": "after", "lhs": "_", "rhs": "h(3)"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of one assignment."""
        names = [name.strip() for name in self.lhs.split(",")]
        if self.define and not all(is_identifier(name) for name in names):
            raise Reject("lhs_not_identifier", self.lhs)
        operator = ":=" if self.define else "="
        stmt = check_stmt(scope, f"{self.lhs.strip()} {operator} {self.rhs.strip()}")
        if stmt.node is None or not slots.is_assignment(stmt.node, operator):
            raise Reject("replacement_does_not_parse", f"{stmt.text} is not one assignment")
        return self.place(scope, self.at, self.where, stmt.text)
