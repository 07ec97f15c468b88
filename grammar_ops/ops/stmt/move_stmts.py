"""move_stmts: move statements to another place of their function."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import Handle, Placement
from grammar_ops.edit import Edit, Span
from grammar_ops.op import Bind, Carried, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.layout import find_block, place_stmt, removal_span
from grammar_ops.syntax.transfer import changed_jumps, changed_names
from grammar_ops.syntax.wrap import find_siblings


class MoveStmts(StatementOp):
    """Move the statements from..to, with their comments, before, after or into another node.

    Names and jumps keep their meaning, or the move is refused with the places.
    """

    op: Literal["move_stmts"] = "move_stmts"
    first: Handle = Field(alias="from", description="handle of the first statement")
    last: Handle = Field(alias="to", description="handle of the last, in the same list")
    at: Handle
    where: Placement

    keeps_meaning = True
    reasons = {
        "moves_into_itself": "the place is inside of what moves",
        "other_function": "statements move within one function",
        "name_would_change": "a name in the statements would mean something else at the new place",
        "target_would_change": "a jump, return or defer would have another target there",
    }
    example = [
        {"op": "add_call", "at": "n2", "where": "after", "expr": "helper(3)"},
        {"op": "move_stmts", "from": "$1", "to": "$1", "at": "n1", "where": "before"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan a cut and an insertion of the same bytes; `$N` names the first statement."""
        first = scope.resolve_target(self.pkg, self.sym, self.first)
        last = scope.resolve_target(self.pkg, self.sym, self.last)
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        src, path, moved = scope.source(first.path), first.path, find_siblings(first, last)
        taken = Span(docs.doc_start(src, moved[0]), docs.trailing_end(src, moved[-1]))
        if (target.path, target.function.sym) != (path, first.function.sym):
            raise Reject("other_function", f"{self.at} is in {target.function.sym}")
        text = src[taken.start : taken.end].decode()
        put, span = place_stmt(src, target, self.where, [text], scope.written(path))
        cut = Edit(path, removal_span(src, taken), b"")
        if taken.contains(nodes.span_of(target.node)) or cut.span.overlaps(put.span):
            raise Reject("moves_into_itself", self.at)
        home, goal = find_block(first, "before"), find_block(target, self.where)
        jumps = changed_jumps(moved, home, goal)
        if jumps:
            at = tuple(point_at(src, path, node.start_byte) for node in jumps)
            raise Reject("target_would_change", diagnostics=at)
        # The end of an empty clause is outside of its scope already: its colon is not.
        place = min(put.span.start, max(goal.end_byte - 1, goal.start_byte))
        names = tuple(changed_names(scope, path, moved, taken, place))
        if names:
            raise Reject("name_would_change", diagnostics=names)
        start = span.start + moved[0].start_byte - taken.start
        bind = Bind(0, Span(start, start + moved[0].end_byte - moved[0].start_byte))
        carried = (Carried(0, span.start, path, taken),)
        return self.rewrite(first, put, cut, bind=bind, carried=carried)
