"""remove_param: drop a parameter that the body does not use, and the argument of every call."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import IMPLEMENTORS, ORPHANS, WRAP_VALUES
from grammar_ops.op import DeclOp, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.reshape import CEILINGS, Terms, Wanted, change_signature, resolve_callable
from grammar_ops.syntax.shapes import find_slot, read_slots


class RemoveParam(DeclOp):
    """Remove a parameter and its argument from every call; refused while the body uses it."""

    op: Literal["remove_param"] = "remove_param"
    name: str = Field(description="name of the parameter, or its number from 1")
    implementors: bool = Field(False, description=IMPLEMENTORS)
    wrap_values: bool = Field(False, description=WRAP_VALUES)
    orphans: bool = Field(False, description=ORPHANS)
    allow_effects: bool = Field(False, description="let calls in arguments go")

    keeps_meaning = True
    ceilings = CEILINGS[:1]  # it brings no type
    example = [
        {"op": "set_body", "pkg": "demo/sig", "sym": "Scale", "body": "return v + v"},
        {"op": "remove_param", "pkg": "demo/sig", "sym": "Scale", "name": "f"},
    ]

    def plan(self, scope: Scope) -> Plan:
        """Plan the head and the calls without the parameter."""
        decl = resolve_callable(scope, self.pkg, self.sym)
        slots = read_slots(decl.node, scope.source(decl.path))
        at = find_slot(slots, self.name)
        if at is None:
            names = tuple(slot.name for slot in slots if slot.name)
            raise Reject("unknown_param", f"{decl.sym} has no {self.name}", did_you_mean=names)
        stay = tuple(i for i in range(len(slots)) if i != at)
        terms = Terms(
            {}, "default_required", refuse_use=True,
            allow_effects=self.allow_effects, implementors=self.implementors,
            wrap_values=self.wrap_values, orphans=self.orphans,
        )  # fmt: skip
        wanted = Wanted(tuple(slots[i] for i in stay), stay)
        return change_signature(scope, self.pkg, decl, wanted, terms)
