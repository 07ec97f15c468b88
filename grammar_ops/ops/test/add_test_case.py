"""add_test_case: add a row to the table of a test."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grammar_ops.args import ByName, GoExpr
from grammar_ops.op import DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax.testrow import CaseValues, all_values, insertion
from grammar_ops.syntax.testtable import find_table


class AddTestCase(DeclOp):
    """Add a row to the table of a test, written as its other rows are."""

    model_config = ConfigDict(populate_by_name=True)

    op: Literal["add_test_case"] = "add_test_case"
    sym: str = Field("", alias="test", description="the test function")
    name: str = Field(description="what the case is called")
    args: list[GoExpr] = Field([], description="values of the row's first fields, in order")
    want: list[GoExpr] = Field([], description="values of its last fields, in order")
    fields: ByName = Field({}, description="values by field instead; others stay zero")
    table: str = Field("", description="variable of the table, where the test has several")

    example = [
        {"op": "add_test", "target": "Double"},
        {
            "op": "add_test_case",
            "test": "TestDouble",
            "name": "positive",
            "args": ["2"],
            "want": ["4"],
        },
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the insertion behind the last row."""
        test = scope.resolve_decl(self.pkg, self.sym)
        table = find_table(scope, self.pkg, test, self.table)
        values = all_values(scope, table, CaseValues(self.args, self.want, self.fields))
        edits = insertion(table, scope.source(table.path), self.name, values)
        return Plan(tuple(edits), touches=((self.pkg, self.sym),))
