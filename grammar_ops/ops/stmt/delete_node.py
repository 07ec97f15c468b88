"""delete_node: delete one statement or clause."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from grammar_ops.args import Handle
from grammar_ops.edit import Edit, Span
from grammar_ops.op import Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope, Target
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.decls import resolve_body
from grammar_ops.syntax.headers import header_cut
from grammar_ops.syntax.layout import removal_span
from grammar_ops.syntax.orphans import merge_deletions, orphan_edits
from grammar_ops.syntax.stmts import child_handles


class DeleteNode(StatementOp):
    """Delete a statement, a clause, an else or the init of a header, with what touches it."""

    op: Literal["delete_node"] = "delete_node"
    at: Handle
    recursive: bool = Field(False, description="delete the statements that the node holds, too")
    orphans: bool = Field(False, description="delete the locals that only the node used, too")

    reasons = {
        "block_not_empty": "the node still holds statements: `recursive` deletes them too",
        "delete_node_wrong_node": "a body, an expression and a labeled statement can't be deleted",
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
        if nodes.is_labeled_inner(node) or (target.kind == "block" and branch is None):
            raise Reject("delete_node_wrong_node", self.at)
        if not self.recursive:
            self._refuse_contents(target, is_branch=branch is not None)
        if target.kind == "slot":
            cut = header_cut(node)
            if cut is None:
                raise Reject("delete_node_wrong_node", self.at)
        elif branch is not None:
            then, own = nodes.find_body(branch) or branch, nodes.find_body(node) or node
            cut = Span(then.end_byte, own.end_byte)  # the else of an else-if stays
        else:
            span = Span(docs.doc_start(src, node), docs.trailing_end(src, node))
            cut = removal_span(src, span)
        edits = [Edit(target.path, cut, b"")]
        if self.orphans:
            body = resolve_body(target.function)
            edits += orphan_edits(scope, target.path, body, cut)
        plan = self.rewrite(target, *merge_deletions(target.path, edits))
        whole = branch is None and target.kind != "slot"
        gone = [nodes.text_of(src, c) for c in docs.list_doc(src, node)] if whole else []
        return replace(plan, notes={"comments_removed": [*gone]} if gone else {})

    def _refuse_contents(self, target: Target, is_branch: bool) -> None:
        node = target.node
        held = nodes.find_body(node) if is_branch else node
        children = []
        if held is not None and nodes.holds_statements(node):
            children = child_handles(target.function, held)
        if children or (nodes.find_else(node) is not None and not is_branch):
            raise Reject("block_not_empty", ", ".join(children) or "it has an else")
