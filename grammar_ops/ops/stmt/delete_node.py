"""delete_node: delete one statement or clause."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from grammar_ops.args import Handle
from grammar_ops.edit import Edit, Span
from grammar_ops.op import Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.layout import removal_span
from grammar_ops.syntax.stmts import child_handles


class DeleteNode(StatementOp):
    """Delete a statement, an empty clause or an empty else, with the comments that touch it."""

    op: Literal["delete_node"] = "delete_node"
    at: Handle

    reasons = {
        "block_not_empty": "the node still holds statements: delete those first",
        "delete_node_wrong_node": "the body, a slot and a labeled statement can't be deleted",
    }
    example = [
        {"op": "add_return", "at": "n3", "where": "after", "exprs": ["h(9)"]},
        {"op": "delete_node", "at": "n3"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal of whole lines, or of the part of a line that the node fills."""
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        node, src = target.node, scope.source(target.path)
        branch = nodes.else_owner(node)
        if target.kind == "slot" or nodes.is_labeled_inner(node):
            raise Reject("delete_node_wrong_node", self.at)
        if target.kind == "block" and branch is None:
            raise Reject("delete_node_wrong_node", self.at)
        children = child_handles(target.function, node) if nodes.holds_statements(node) else []
        if children or nodes.find_else(node) is not None:
            raise Reject("block_not_empty", ", ".join(children) or "it has an else")
        if branch is not None:
            then = nodes.find_body(branch) or branch
            return self.rewrite(target, Edit(target.path, Span(then.end_byte, node.end_byte), b""))
        span = Span(docs.doc_start(src, node), docs.trailing_end(src, node))
        plan = self.rewrite(target, Edit(target.path, removal_span(src, span), b""))
        gone = [nodes.text_of(src, comment) for comment in docs.list_doc(src, node)]
        return replace(plan, notes={"comments_removed": [*gone]} if gone else {})
