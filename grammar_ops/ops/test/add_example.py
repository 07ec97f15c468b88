"""add_example: an example of a function or method that go test runs and go doc shows."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grammar_ops.args import GoExpr, GoType
from grammar_ops.op import DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax.testcall import read_values
from grammar_ops.syntax.testhome import package_of, pick_name
from grammar_ops.syntax.testtarget import call_parts, example_name, landed, output_lines, shown


class AddExample(DeclOp):
    """Add an example of a function or method: it prints what the call gives.

    It is run where it says what its output is.
    """

    model_config = ConfigDict(populate_by_name=True)

    op: Literal["add_example"] = "add_example"
    sym: str = Field("", alias="target", description="what is shown: Name or Type.Method")
    name: str = Field("", description="name; Example and the target's by default")
    suffix: str = Field("", description="what tells it from other examples of the target")
    args: list[GoExpr] = Field(
        [], description="arguments of the call, those of the receiver's constructor first"
    )
    recv: GoExpr = Field("", description="the receiver, instead of a constructor's")
    type_args: list[GoType] = Field([], description="type arguments of a generic target")
    output: str = Field("", description="what it prints")
    unordered: bool = Field(False, description="the lines of the output come in any order")

    example = [{"op": "add_example", "target": "Double", "args": ["21"], "output": "42"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the example under the name by which go doc finds what it shows."""
        decl, home, call = call_parts(scope, self.pkg, self.sym, self.type_args, self.recv, "nil")
        wanted = self.name or example_name(decl, self.suffix)
        name = pick_name(scope, package_of(scope, self.pkg), "Example", wanted, [])
        values = read_values(scope, call, self.args)
        made, called = call.render(values, ["fmt.Println(err)", "return"])
        body = [*made, *shown(call.callee, called), *output_lines(self.output, self.unordered)]
        prints = any("fmt." in line for line in body)
        lines = [f"func {name}() {{", *(f"\t{line}" for line in body), "}"]
        return landed(scope, home, call, name, lines, ["fmt"] if prints else [])
