"""set_test_case: change a row of the table of a test."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grammar_ops.args import ByName, GoExpr
from grammar_ops.op import DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax.testrow import CaseValues, changed_values, changes
from grammar_ops.syntax.testtable import find_row


class SetTestCase(DeclOp):
    """Change the name or the values of a row in the table of a test; what is not given stays."""

    model_config = ConfigDict(populate_by_name=True)

    op: Literal["set_test_case"] = "set_test_case"
    sym: str = Field("", alias="test", description="the test function")
    case: str = Field(description="what the case is called now")
    name: str = Field("", description="what it is to be called")
    args: list[GoExpr] | None = Field(None, description="values of the row's inputs, in order")
    want: list[GoExpr] | None = Field(None, description="values of its outcomes, in order")
    fields: ByName = Field({}, description="values by field")
    table: str = Field("", description="variable of the table, where several have such a case")

    example = [
        {
            "op": "set_test_case",
            "pkg": "demo/sig",
            "test": "TestScale",
            "case": "one",
            "args": ["3", "3"],
            "want": ["9"],
        }
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the change of single values."""
        test = scope.resolve_decl(self.pkg, self.sym)
        table, row = find_row(scope, self.pkg, test, self.case, self.table)
        values = changed_values(scope, table, CaseValues(self.args, self.want, self.fields))
        edits = changes(table, row, scope.source(table.path), self.name, values)
        return Plan(tuple(edits), touches=((self.pkg, self.sym),))
