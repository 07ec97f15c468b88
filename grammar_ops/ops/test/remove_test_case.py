"""remove_test_case: take a row out of the table of a test."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grammar_ops.op import DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax.testrow import removal
from grammar_ops.syntax.testtable import find_row


class RemoveTestCase(DeclOp):
    """Take a row out of the table of a test, with the comments that touch it."""

    model_config = ConfigDict(populate_by_name=True)

    op: Literal["remove_test_case"] = "remove_test_case"
    sym: str = Field("", alias="test", description="the test function")
    case: str = Field(description="what the case is called")
    table: str = Field("", description="variable of the table, where several have such a case")

    example = [
        {"op": "remove_test_case", "pkg": "demo/sig", "test": "TestScale", "case": "one"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the removal of the row's lines, or of its part of a line."""
        test = scope.resolve_decl(self.pkg, self.sym)
        table, row = find_row(scope, self.pkg, test, self.case, self.table)
        edits = removal(table, row, scope.source(table.path))
        return Plan(tuple(edits), touches=((self.pkg, self.sym),))
