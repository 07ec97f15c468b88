"""add_bench: a benchmark of a function or method."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grammar_ops.args import GoExpr, GoType
from grammar_ops.op import DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax.testcall import bench_loop, read_values
from grammar_ops.syntax.testhome import package_of, pick_name
from grammar_ops.syntax.testtarget import call_parts, landed, tested_parts


class AddBench(DeclOp):
    """Add a benchmark of a function or method, with the values given or zero ones."""

    model_config = ConfigDict(populate_by_name=True)

    op: Literal["add_bench"] = "add_bench"
    sym: str = Field("", alias="target", description="what is measured: Name or Type.Method")
    name: str = Field("", description="name; Benchmark and the target's by default")
    args: list[GoExpr] = Field(
        [], description="arguments of the call, those of the receiver's constructor first"
    )
    recv: GoExpr = Field("", description="the receiver, instead of a constructor's")
    type_args: list[GoType] = Field([], description="type arguments of a generic target")

    example = [{"op": "add_bench", "target": "Double", "args": ["21"]}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the benchmark; what is made for it is made before the clock runs."""
        decl, home, call = call_parts(scope, self.pkg, self.sym, self.type_args, self.recv, "b")
        info = package_of(scope, self.pkg)
        name = pick_name(scope, info, "Benchmark", self.name, tested_parts(decl))
        values = read_values(scope, call, self.args)
        made, called = call.render(values, ["b.Fatal(err)"])
        loop = [bench_loop(scope, info.pkg), f"\t{called}", "}"]
        body = [f"\t{line}" for line in (*made, *loop)]
        lines = [f"func {name}(b *testing.B) {{", *body, "}"]
        return landed(scope, home, call, name, lines, ["testing"])
