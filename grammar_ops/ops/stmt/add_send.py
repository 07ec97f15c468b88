"""add_send: insert a send to a channel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import check_expr


class AddSend(StatementOp):
    """Insert `chan <- value`."""

    op: Literal["add_send"] = "add_send"
    at: Handle
    where: Placement
    chan: GoExpr = Field(description="the channel")
    value: GoExpr = Field(description="what is sent")

    example = [
        {
            "op": "add_assign", "at": "n2", "where": "after",
            "lhs": "c", "rhs": "make(chan int, 1)", "define": True,
        },
        {"op": "add_send", "at": "$1", "where": "after", "chan": "c", "value": "h(1)"},
    ]  # fmt: skip

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of the send; whether it is one, the types judge."""
        chan = check_expr(scope, self.chan, "chan").text
        value = check_expr(scope, self.value, "value").text
        return self.place(scope, self.at, self.where, f"{chan} <- {value}")
