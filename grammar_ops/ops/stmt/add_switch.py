"""add_switch: insert a switch or type switch without clauses."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, GoStmt, Handle, Placement
from grammar_ops.op import Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import is_identifier
from grammar_ops.syntax.heads import split_guard, switch_head, type_switch_head


class AddSwitch(StatementOp):
    """Insert a switch over a tag, over conditions (no tag), or over the type of a value."""

    op: Literal["add_switch"] = "add_switch"
    at: Handle
    where: Placement
    init: GoStmt = Field("", description="simple statement before the tag: `v := f()`")
    tag: GoExpr = Field("", description="what the cases are compared with")
    type_switch: GoExpr = Field("", description="the value whose type is switched on")
    bind: str = Field("", description="name of that value in the clauses of a type switch")

    reasons = {
        "tag_type_switch_exclusive": "a switch is over a tag or over the type of a value",
        "bind_needs_type_switch": "only a type switch binds its value to a name",
        "bind_not_identifier": "what a type switch binds to must be an identifier",
    }
    example = [{"op": "add_switch", "at": "n2", "where": "after", "tag": "h(1)"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion of the empty switch, which add_case fills through `$N`."""
        if self.tag and self.type_switch:
            raise Reject("tag_type_switch_exclusive", facts={"drop": [["type_switch"], ["tag"]]})
        guard = split_guard(self.tag or self.type_switch)
        bind, subject = guard or ("", self.type_switch)
        bind = self.bind or bind
        if bind and not subject:
            raise Reject("bind_needs_type_switch", bind)
        if bind and not is_identifier(bind):
            raise Reject("bind_not_identifier", bind)
        if subject:
            head = type_switch_head(scope, self.init, subject, bind)
        else:
            head = switch_head(scope, self.init, self.tag)
        return self.place(scope, self.at, self.where, head, "}")
