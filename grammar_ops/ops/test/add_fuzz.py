"""add_fuzz: a fuzz test of a function or method."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grammar_ops.args import GoExpr, GoType
from grammar_ops.op import Ceiling, DeclOp, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.fuzzing import fuzzed_inputs, seed_lines
from grammar_ops.syntax.testhome import package_of, pick_name
from grammar_ops.syntax.testtarget import call_parts, landed, tested_parts


class AddFuzz(DeclOp):
    """Add a fuzz test that calls a function or method with whatever go test comes up with."""

    model_config = ConfigDict(populate_by_name=True)

    op: Literal["add_fuzz"] = "add_fuzz"
    sym: str = Field("", alias="target", description="what is called: Name or Type.Method")
    name: str = Field("", description="name; Fuzz and the target's by default")
    seeds: list[list[GoExpr]] = Field([], description="the first inputs, each a list of values")
    recv: GoExpr = Field("", description="the receiver, instead of a constructor's")
    type_args: list[GoType] = Field([], description="type arguments of a generic target")

    ceilings = (
        Ceiling(
            "type_not_fuzzable",
            "go test makes up strings, bools, numbers and []byte alone, and types made of these",
        ),
    )
    example = [{"op": "add_fuzz", "target": "Double", "seeds": [["21"]]}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the fuzz test: seeds of the very types, conversions in the call."""
        decl, home, call = call_parts(scope, self.pkg, self.sym, self.type_args, self.recv, "t")
        name = pick_name(scope, package_of(scope, self.pkg), "Fuzz", self.name, tested_parts(decl))
        inputs = fuzzed_inputs(call)
        wrong = [param.type for param in inputs if not param.base]
        if wrong or not inputs:
            raise self.ceiling("type_not_fuzzable", ", ".join(wrong) or f"{decl.sym} takes nothing")
        if any(len(seed) != len(inputs) for seed in self.seeds):
            wanted = ", ".join(f"{param.name} {param.base}" for param in inputs)
            raise Reject("argument_count_mismatch", f"a seed has values for ({wanted})")
        made, called = call.render([param.value for param in inputs], ["t.Skip(err)"])
        params = "".join(f", {param.name} {param.base}" for param in inputs)
        lines = [
            f"func {name}(f *testing.F) {{",
            *(f"\t{line}" for line in seed_lines(scope, inputs, self.seeds)),
            f"\tf.Fuzz(func(t *testing.T{params}) {{",
            *(f"\t\t{line}" for line in (*made, called)),
            "\t})",
            "}",
        ]
        return landed(scope, home, call, name, lines, ["testing"])
