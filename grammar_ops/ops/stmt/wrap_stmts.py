"""wrap_stmts: put statements into an if, a for, a block or a function literal that is called."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import WRAPPERS, GoExpr, Handle
from grammar_ops.op import Bind, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.wrap import (
    find_siblings,
    refuse_moved_targets,
    refuse_used_outside,
    wrap_edits,
    wrapper_texts,
)


class WrapStmts(StatementOp):
    """Put the statements from..to, with their comments, into an if, for, block, func, go or defer.

    The last three make a function literal of them, which is called, started or deferred.
    """

    op: Literal["wrap_stmts"] = "wrap_stmts"
    first: Handle = Field(alias="from", description="handle of the first statement")
    last: Handle = Field(alias="to", description="handle of the last, in the same list")
    wrapper: str = Field(
        alias="with",
        description="if, for, block, func, go or defer",
        json_schema_extra={"enum": [*WRAPPERS]},
    )
    cond: GoExpr = Field("", description="condition of the if or for, or its whole header")

    keeps_meaning = True
    reasons = {
        "unknown_with_value": "`with` is if, for, block, func, go or defer",
        "cond_required": "an if or for needs a condition",
        "cond_not_allowed": "only an if or for has a condition",
        "not_ordered_siblings": "from and to must be in one list, in order",
        "branch_would_be_captured": "the new for would be what a break or continue speaks of",
        "bound_to_the_literal": "the new function literal would be what a return, defer, recover "
        "or jump speaks of",
        "used_outside": "what the statements declare is used below them",
    }
    example = [
        {"op": "wrap_stmts", "from": "n1", "to": "n2", "with": "if", "cond": "helper(1) > 0"}
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan insertions around the statements; their own bytes stay."""
        if self.wrapper not in WRAPPERS:
            raise Reject("unknown_with_value", self.wrapper, did_you_mean=WRAPPERS)
        if (self.wrapper in ("if", "for")) != bool(self.cond):
            key = "cond_not_allowed" if self.cond else "cond_required"
            raise Reject(key, self.wrapper, facts={"drop": [["cond"]]})
        first = scope.resolve_target(self.pkg, self.sym, self.first)
        last = scope.resolve_target(self.pkg, self.sym, self.last)
        wrapped = find_siblings(first, last)
        refuse_moved_targets(scope, first.path, wrapped, self.wrapper)
        refuse_used_outside(scope, first, wrapped)
        head, tail = wrapper_texts(scope, self.wrapper, self.cond)
        edits, span = wrap_edits(scope.source(first.path), first.path, wrapped, head, tail)
        return self.rewrite(first, *edits, bind=Bind(0, span))
