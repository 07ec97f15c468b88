"""add_param: add a parameter to a function, and an argument to every call."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import IMPLEMENTORS, WRAP_VALUES, GoExpr, GoName, GoType
from grammar_ops.op import DeclOp, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import check_expr, check_type, is_identifier
from grammar_ops.syntax.reshape import CEILINGS, Terms, Wanted, change_signature, resolve_callable
from grammar_ops.syntax.shapes import Slot, insert_slot, is_variadic, read_slots
from grammar_ops.syntax.threads import Thread, plan_thread


class AddParam(DeclOp):
    """Add a parameter behind the others (before a variadic one) and its default to every call."""

    op: Literal["add_param"] = "add_param"
    name: GoName
    type: GoType = Field(description="its type; ...T when the function has no variadic parameter")
    default: GoExpr = Field("", description="argument for existing calls")
    first: bool = Field(False, description="put it in front of the others")
    thread: bool = Field(
        False, description="give it to the callers too, up to where a value of the type is in scope"
    )
    roots: list[str] = Field([], description="callers where threading ends: they pass the default")
    implementors: bool = Field(False, description=IMPLEMENTORS)
    wrap_values: bool = Field(False, description=WRAP_VALUES)

    keeps_meaning = True
    ceilings = CEILINGS
    reasons = {
        "bad_param_name": "the parameter's name is no Go identifier",
        "default_required": "existing calls need an argument for the parameter",
    }
    example = [
        {
            "op": "add_param", "pkg": "demo/sig", "sym": "Scale",
            "name": "offset", "type": "int", "default": "0",
        }
    ]  # fmt: skip

    def plan(self, scope: Scope) -> Plan:
        """Plan the parameter, the arguments, and the local variable that becomes the parameter."""
        decl = resolve_callable(scope, self.pkg, self.sym)
        slots = read_slots(decl.node, scope.source(decl.path))
        new = self._slot(scope, slots)
        if self.thread or self.roots:
            home, roots = (self.pkg, decl.path), tuple(self.roots)
            thread = Thread(new, self.default, self.first, roots, self.implementors, home)
            return plan_thread(scope, (self.pkg, decl.sym), decl, thread)
        wanted = Wanted(*insert_slot(slots, new, first=self.first))
        defaults = {self.name: self.default} if self.default else {}
        terms = Terms(
            defaults,
            "default_required",
            implementors=self.implementors,
            wrap_values=self.wrap_values,
        )
        return change_signature(scope, self.pkg, decl, wanted, terms)

    def _slot(self, scope: Scope, slots: tuple[Slot, ...]) -> Slot:
        """The new parameter, checked."""
        if not is_identifier(self.name):
            raise Reject("bad_param_name", self.name)
        text = self.type.strip()
        type_ = check_type(scope, text.removeprefix("..."), "type")
        if self.default:
            check_expr(scope, self.default, "default")
        if text.startswith("...") and (is_variadic(slots) or (self.first and slots)):
            raise Reject("variadic_must_be_last", self.sym)
        return Slot(self.name, type_, text.startswith("..."), len(slots))
