"""unwrap: put the statements of a block in the place of the statement around it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from grammar_ops.args import Handle
from grammar_ops.op import Notes, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import flow, nodes
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.stmts import handle_of
from grammar_ops.syntax.unwrap import find_shell, tied_statements, unwrap_edits


class Unwrap(StatementOp):
    """Put the body of an if, for, block or called function literal in the place of the statement.

    The condition, the post statement and the range go and are told; an init that the body needs
    stays in front of it.
    """

    op: Literal["unwrap"] = "unwrap"
    at: Handle

    keeps_meaning = True
    reasons = {
        "unwrap_wrong_node": "only an if, a for, a block and a call of a function literal without "
        "parameters and results can be unwrapped",
        "has_else": "an if with an else has two bodies: delete the else first",
        "tied_to_the_wrapper": "statements of the body speak of what would go: a break of the "
        "loop, a return of the literal, a variable of the range",
    }
    example = [
        {"op": "wrap_stmts", "from": "n1", "to": "n2", "with": "if", "cond": "helper(1) > 0"},
        {"op": "unwrap", "at": "$1"},
        {"op": "add_call", "at": "n2", "where": "after", "expr": "helper(3)"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan cuts around the body; `$N` names the first statement that stays."""
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        node, src = nodes.unlabeled(target.node), scope.source(target.path)
        shell = find_shell(node) if target.kind == "stmt" else None
        if shell is None or nodes.else_owner(node) is not None:
            raise Reject("unwrap_wrong_node", f"{self.at} is a {node.type}")
        if (other := nodes.find_else(node)) is not None:
            raise Reject("has_else", handle_of(target.function, other))
        tied = tied_statements(shell, flow.labels_around(node))
        if tied:
            at = tuple(point_at(src, target.path, n.start_byte) for n in tied)
            raise Reject("tied_to_the_wrapper", diagnostics=at)
        edits, bind = unwrap_edits(src, target.path, shell)
        dropped = [nodes.text_of(src, part) for part in shell.dropped]
        notes: Notes = {"dropped": dropped} if dropped else {}
        return replace(self.rewrite(target, *edits, bind=bind), notes=notes)
