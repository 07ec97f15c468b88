"""set_cond: replace the condition of an if or for, or the expressions of a case."""

from __future__ import annotations

from typing import Literal

from grammar_ops.args import GoExpr, Handle
from grammar_ops.op import Bind, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.fragment import check_expr, header_text
from grammar_ops.syntax.headers import bind_around, cond_edit, values_edit
from grammar_ops.syntax.heads import case_values


class SetCond(StatementOp):
    """Replace the condition of an if or for (a bare `for` gains one), or a case's expressions."""

    op: Literal["set_cond"] = "set_cond"
    at: Handle
    expr: GoExpr

    reasons = {"set_cond_wrong_node": "only an if, a for without range and a case have a condition"}
    example = [
        {"op": "add_if", "at": "n2", "where": "after", "cond": "h == nil"},
        {"op": "set_cond", "at": "$1", "expr": "h != nil"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the replacement; `$N` stays on the statement."""
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        if target.node.type in (nodes.EXPR_CASE, nodes.TYPE_CASE):
            listed = values_edit(target, case_values(scope, target.node.type, self.expr))
            return self.rewrite(target, listed, bind=Bind(0, bind_around(target.node, listed)))
        edit = cond_edit(target, header_text(check_expr(scope, self.expr, "expr")))
        if edit is None:
            raise Reject("set_cond_wrong_node", f"{self.at} is a {target.node.type}")
        return self.rewrite(target, edit, bind=Bind(0, bind_around(target.node, edit)))
