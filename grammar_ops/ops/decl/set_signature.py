"""set_signature: give a function other parameters or results, and its calls what they need."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import IMPLEMENTORS, ORPHANS, WRAP_VALUES, Pairs
from grammar_ops.op import DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.fragment import check_expr
from grammar_ops.syntax.giving import plan_giving
from grammar_ops.syntax.reshape import CEILINGS, Terms, Wanted, change_signature, resolve_callable
from grammar_ops.syntax.shapes import (
    leaf_texts,
    match_slots,
    parse_signature,
    read_results,
    read_slots,
    result_node,
    split_pairs,
)


class SetSignature(DeclOp):
    """Change parameters and results; arguments are carried by name, dropped, reordered, added.

    With `fill`, or where results only go, returns and the statements around calls follow.
    """

    op: Literal["set_signature"] = "set_signature"
    signature: str = Field(description="(params) results; a parameter is carried by its name")
    defaults: Pairs = Field([], description="argument for each new parameter: name=expr, or a map")
    fill: Pairs = Field([], description="what returns give for a new result: name or type=expr")
    renames: Pairs = Field([], description="parameters with a new name: old=new, or a map")
    implementors: bool = Field(False, description=IMPLEMENTORS)
    wrap_values: bool = Field(False, description=WRAP_VALUES)
    orphans: bool = Field(False, description=ORPHANS)
    allow_effects: bool = Field(False, description="let calls in arguments go or change order")

    keeps_meaning = True
    ceilings = CEILINGS
    reasons = {"new_param_needs_default": "existing calls need an argument for a new parameter"}
    example = [
        {
            "op": "set_signature", "pkg": "demo/sig", "sym": "Fetch",
            "signature": "(ctx context.Context, a int, b string, rest ...int) string",
            "defaults": ["ctx=context.Background()"],
        }
    ]  # fmt: skip

    def plan(self, scope: Scope) -> Plan:
        """Plan the head, the calls, and the uses of renamed parameters in the body."""
        decl = resolve_callable(scope, self.pkg, self.sym)
        defaults = split_pairs(self.defaults, "defaults")
        fill = split_pairs(self.fill, "fill")
        for arg, pairs in (("defaults", defaults), ("fill", fill)):
            for name, text in pairs.items():
                check_expr(scope, text, f"{arg}: {name}")
        wanted = self._wanted(scope, decl, defaults, fill)
        terms = Terms(
            defaults, "new_param_needs_default",
            allow_effects=self.allow_effects, implementors=self.implementors,
            wrap_values=self.wrap_values, orphans=self.orphans,
        )  # fmt: skip
        return change_signature(scope, self.pkg, decl, wanted, terms)

    def _wanted(
        self, scope: Scope, decl: Decl, defaults: dict[str, str], fill: dict[str, str]
    ) -> Wanted:
        """The signature as a text, set against the one that stands."""
        src = scope.source(decl.path)
        shape = parse_signature(scope, self.signature, decl, src)
        old, renames = read_slots(decl.node, src), split_pairs(self.renames, "renames")
        same = leaf_texts(result_node(decl.node), src) == [*shape.tokens]
        sources = match_slots(old, shape.slots, renames, defaults)
        giving = plan_giving(read_results(decl.node, src), shape.gives, fill, (self.pkg, decl.path))
        results = None if same else shape.results
        return Wanted(shape.slots, sources, results, shape.layout, giving)
