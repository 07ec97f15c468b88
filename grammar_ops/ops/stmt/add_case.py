"""add_case: add a clause to a switch, type switch or select."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from grammar_ops.args import GoExpr, GoStmt, Handle
from grammar_ops.op import Bind, Plan, StatementOp
from grammar_ops.reject import Json, Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.clauses import find_switch, place_clause
from grammar_ops.syntax.heads import case_head


class AddCase(StatementOp):
    """Add an empty clause: at the end of a switch or select, or beside one of its clauses."""

    op: Literal["add_case"] = "add_case"
    at: Handle
    where: str = Field(
        "",
        description="first or last (usual) in a switch, before or after (usual) a clause",
        json_schema_extra={"enum": ["before", "after", "first", "last"]},
    )
    exprs: list[GoExpr] = Field(default=[], description="expressions; types in a type switch")
    comm: GoStmt = Field("", description="what a select's clause waits for: `v := <-c`, `c <- v`")
    is_default: bool = Field(False, description="the clause is the default one (also `default`)")

    reasons = {
        "default_exprs_exclusive": "the default clause has neither expressions nor a communication",
        "needs_exprs_or_default": "a clause has exprs (in a select comm), or is the default one",
        "add_case_wrong_node": "clauses are added to a switch or select, or beside a clause",
    }
    example = [
        {"op": "add_switch", "at": "n2", "where": "after", "tag": "h(1)"},
        {"op": "add_case", "at": "$1", "exprs": ["1", "2"]},
    ]

    @model_validator(mode="before")
    @classmethod
    def _take_default(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and "default" in raw and "is_default" not in raw:
            return {("is_default" if k == "default" else k): v for k, v in raw.items()}
        return raw

    def plan(self, scope: Scope) -> Plan:
        """Plan the clause at its place; `$N` names it, so `first` and `last` fill it."""
        target = scope.resolve_target(self.pkg, self.sym, self.at)
        switch = find_switch(target.node)
        if switch is None:
            raise Reject("add_case_wrong_node", f"{self.at} is a {target.node.type}")
        selects = switch.type == nodes.SELECT
        comm = self.comm or (self.exprs[0] if selects and len(self.exprs) == 1 else "")
        if self.is_default and (self.exprs or self.comm):
            drop: list[Json] = [["is_default", "default"], ["exprs", "comm"]]
            raise Reject("default_exprs_exclusive", facts={"drop": drop})
        if not self.is_default and not (comm if selects else self.exprs and not self.comm):
            raise Reject("needs_exprs_or_default", "comm" if selects else "exprs")
        head = "default:" if self.is_default else case_head(scope, switch.type, self.exprs, comm)
        src, written = scope.source(target.path), scope.written(target.path)
        edit, span = place_clause(src, target, self.where, head, written)
        return self.rewrite(target, edit, bind=Bind(0, span))
