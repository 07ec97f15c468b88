"""wrap_stmts: put statements into an if, a for or a block."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import WRAPPERS, GoExpr, Handle
from grammar_ops.op import Bind, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.fragment import check_expr, header_text
from grammar_ops.syntax.wrap import find_captured, find_siblings, wrap_edits


class WrapStmts(StatementOp):
    """Put the statements from..to, with their comments, into an if, a for or a block."""

    op: Literal["wrap_stmts"] = "wrap_stmts"
    first: Handle = Field(alias="from", description="handle of the first statement")
    last: Handle = Field(alias="to", description="handle of the last, in the same list")
    wrapper: str = Field(
        alias="with", description="if, for or block", json_schema_extra={"enum": [*WRAPPERS]}
    )
    cond: GoExpr = Field("", description="condition of the if or for")

    keeps_meaning = True
    reasons = {
        "unknown_with_value": "`with` is if, for or block",
        "cond_required": "an if or for needs a condition",
        "cond_not_allowed": "a block has no condition",
        "not_ordered_siblings": "from and to must be in one list, in order",
        "branch_would_be_captured": "the new for would be what a break or continue speaks of",
    }
    example = [
        {"op": "wrap_stmts", "from": "n1", "to": "n2", "with": "if", "cond": "helper(1) > 0"}
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan insertions around the statements; their own bytes stay."""
        if self.wrapper not in WRAPPERS:
            raise Reject("unknown_with_value", self.wrapper, did_you_mean=WRAPPERS)
        if (self.wrapper == "block") == bool(self.cond):
            key = "cond_not_allowed" if self.cond else "cond_required"
            raise Reject(key, self.wrapper, facts={"drop": [["cond"]]})
        first = scope.resolve_target(self.pkg, self.sym, self.first)
        last = scope.resolve_target(self.pkg, self.sym, self.last)
        wrapped, src = find_siblings(first, last), scope.source(first.path)
        captured = find_captured(wrapped) if self.wrapper == "for" else []
        if captured:
            at = tuple(point_at(src, first.path, n.start_byte) for n in captured)
            raise Reject("branch_would_be_captured", diagnostics=at)
        head = "{"
        if self.cond:
            cond = header_text(check_expr(scope, self.cond, "cond"))
            head = f"{self.wrapper} {cond} {{"
        edits, span = wrap_edits(src, first.path, wrapped, head)
        return self.rewrite(first, *edits, bind=Bind(0, span))
