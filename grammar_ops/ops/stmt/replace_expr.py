"""replace_expr: replace the expression in a slot."""

from __future__ import annotations

from typing import Literal

from grammar_ops.args import GoExpr, Handle
from grammar_ops.edit import Edit
from grammar_ops.op import Bind, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.fragment import slot_text
from grammar_ops.syntax.headers import bind_around, main_slot


class ReplaceExpr(StatementOp):
    """Replace the expression in a slot, with parentheses where precedence needs them.

    A slot without its number (n4.args, n4.rhs) is the whole list.
    """

    op: Literal["replace_expr"] = "replace_expr"
    at: Handle
    expr: GoExpr

    reasons = {"replace_expr_wrong_node": "the node has several expressions: name one of its slots"}
    example = [
        {"op": "add_call", "at": "n2", "where": "after", "expr": "h(1)"},
        {"op": "replace_expr", "at": "$1", "expr": "h(2)"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the replacement of a slot, or of what a statement is all about."""
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        slot = target.node if target.kind == "slot" else main_slot(target.node)
        if slot is None:
            near = [f"{self.at}.{name}" for name, _ in slots.list_slots(target.node)]
            raise Reject("replace_expr_wrong_node", self.at, did_you_mean=tuple(near[:3]))
        src = scope.source(target.path)
        text = slot_text(scope, self.expr, slot, src)
        edit = Edit(target.path, nodes.span_of(slot), text.encode())
        named = slot if target.kind == "slot" else target.node
        return self.rewrite(target, edit, bind=Bind(0, bind_around(named, edit)))
