"""add_select: insert a select without clauses."""

from __future__ import annotations

from typing import Literal

from grammar_ops.args import Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope


class AddSelect(StatementOp):
    """Insert a select; without a clause it blocks for ever, add_case fills it through `$N`."""

    op: Literal["add_select"] = "add_select"
    at: Handle
    where: Placement

    example = [
        {"op": "add_select", "at": "n2", "where": "after"},
        {"op": "add_case", "at": "$1", "is_default": True},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of the empty select."""
        return self.place(scope, self.at, self.where, "select {", "}")
