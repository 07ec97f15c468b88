"""wrap_error: return a call's error, wrapped."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, GoStmts, Handle
from grammar_ops.op import Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.errorguard import guard
from grammar_ops.syntax.errorsite import Site, enclosing_function, zeros_of
from grammar_ops.syntax.errortext import Wish, read_text


class WrapError(StatementOp):
    """Return the error of a call, wrapped, behind the statement that makes the call.

    An existing `if err != nil` gets its returned error wrapped; `$N` names the guard.
    """

    op: Literal["wrap_error"] = "wrap_error"
    at: Handle
    message: str = Field("", description="what failed; the text before `: %w`")
    args: list[GoExpr] = Field([], description="values for the verbs of the message")
    wrapper: GoExpr = Field("", description="the error to return instead, made of `err`")
    instead: GoStmts = Field(
        "", description="a statement to run on an error instead of returning it: t.Fatal(err)"
    )

    reasons = {
        "func_returns_no_error": "the last result of the enclosing function must be error",
        "last_must_be_blank_or_err": "the last variable must be `_` or an error",
        "needs_single_call_rhs": "the statement must have one call on its right",
        "needs_plain_assign": "the assignment must be = or :=",
        "no_assigned_values": "the declaration assigns nothing",
        "wrap_needs_call": "the statement must be a call",
        "cannot_resolve_call_target": "the checker can't tell what the call returns",
        "callee_returns_no_error": "the call's last result is no error",
        "wrap_error_wrong_node": "the statement has no error that could be wrapped there",
        "wrap_error_text": "give a message, or a wrapper or statement that uses err",
    }
    example = [
        {"op": "wrap_error", "pkg": "demo/sig", "sym": "Run", "at": "n1", "message": "fetch"}
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the guard by the types of the call and of the enclosing function."""
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        stmt = target.node
        if stmt.type == nodes.LABELED:
            stmt = nodes.inner_statement(stmt) or stmt
        if target.kind != "stmt":
            raise Reject("wrap_error_wrong_node", f"{self.at} is no statement")
        function = enclosing_function(target, stmt)
        zeros = None if self.instead else zeros_of(scope, target, function)
        wish = Wish(self.message, self.args, self.wrapper, self.instead)
        text = read_text(scope, target.path, stmt, wish)
        site = Site(scope, target, stmt, function, zeros, text.render)
        guarded = guard(site)
        return self.rewrite(target, *guarded.edits, bind=guarded.bind, imports=text.imports)
