"""add_param: add a parameter to a function, and an argument to every call."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, GoName, GoType
from grammar_ops.op import Ceiling, DeclOp, Notes, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import newparam, uses
from grammar_ops.syntax.decls import resolve_body
from grammar_ops.syntax.findings import point_refs
from grammar_ops.syntax.fragment import check_expr, check_type, is_identifier
from grammar_ops.syntax.signature import param_edits


class AddParam(DeclOp):
    """Add a parameter behind the others (before a variadic one) and its default to every call."""

    op: Literal["add_param"] = "add_param"
    name: GoName
    type: GoType = Field(description="its type; ...T when the function has no variadic parameter")
    default: GoExpr = Field("", description="argument for existing calls")

    keeps_meaning = True
    ceilings = (
        Ceiling("used_as_value", "a function used as a value, or from assembly, keeps its type"),
    )
    reasons = {
        "bad_param_name": "the parameter's name is no Go identifier",
        "default_required": "existing calls need an argument for the parameter",
        "param_name_collides": "the function's scope has this name already",
        "variadic_must_be_last": "the function has a variadic parameter already",
        "call_site_unreadable": "a call passes on another call's results, or can't be found",
    }
    example = [
        {
            "op": "add_param", "pkg": "demo/sig", "sym": "Scale",
            "name": "offset", "type": "int", "default": "0",
        }
    ]  # fmt: skip

    def plan(self, scope: Scope) -> Plan:
        """Plan the parameter, the arguments, and the local variable that becomes the parameter."""
        decl = scope.resolve_decl(self.pkg, self.sym)
        resolve_body(decl)
        if not is_identifier(self.name):
            raise Reject("bad_param_name", self.name)
        variadic = self.type.strip().startswith("...")
        type_ = check_type(scope, self.type.strip().removeprefix("..."), "type")
        if self.default:
            check_expr(scope, self.default, "default")
        function = newparam.read_function(scope.source(decl.path), decl)
        if variadic and function.variadic:
            raise Reject("variadic_must_be_last", decl.sym)
        refs = uses.list_refs(scope, self.pkg, decl.sym)
        values = newparam.value_refs(refs)
        if values or uses.is_in_assembly(scope, self.pkg, decl.sym):
            raise self.ceiling("used_as_value", decl.sym, point_refs(scope, values))
        calls = newparam.find_calls(scope, refs, function)
        passing = [c.ref for c in calls if newparam.passes_results(scope, c, function)]
        if passing:
            detail = f"{decl.sym}: the call passes on the results of another"
            raise uses.reject_at(scope, "call_site_unreadable", detail, passing)
        if calls and not self.default and not variadic:
            raise Reject("default_required", f"{len(calls)} calls of {decl.sym}")
        src, text = scope.source(decl.path), f"{'...' if variadic else ''}{type_}"
        edits = param_edits(decl.node, src, decl.path, self.name, text)
        edits += newparam.promotion_edits(src, decl, self.name, self.default)
        if self.default:
            edits += [newparam.call_edit(scope, call, function, self.default) for call in calls]
        notes = Notes(callers_updated=len(calls) if self.default else 0)
        generated = uses.list_generated([call.ref for call in calls])
        if generated:
            notes["generated"] = generated
        return Plan(tuple(edits), touches=((self.pkg, decl.sym),), notes=notes)
