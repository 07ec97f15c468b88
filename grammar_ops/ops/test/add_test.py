"""add_test: a table-driven test of a function or method, ready for cases."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grammar_ops.args import GoType
from grammar_ops.op import Ceiling, DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax.testhome import find_home, land, package_of, pick_name, wishes
from grammar_ops.syntax.teststyle import read_style
from grammar_ops.syntax.testtarget import find_maker, receiver_name, resolve_tested, tested_parts
from grammar_ops.syntax.testtext import TestText, local_name


class AddTest(DeclOp):
    """Add a table-driven test of a function or method, without cases yet.

    It goes into the test file beside the function and is written as the package's tests are.
    """

    model_config = ConfigDict(populate_by_name=True)

    op: Literal["add_test"] = "add_test"
    sym: str = Field("", alias="target", description="what is tested: Name or Type.Method")
    name: str = Field("", description="name of the test; Test and the target's by default")
    type_args: list[GoType] = Field([], description="type arguments of a generic target")

    reasons = {
        "add_test_needs_target": "say which function is to be tested",
        "add_test_plain_func_only": "only functions and methods with a body can be called",
        "bad_test_name": "go test does not run what is called so",
        "test_exists": "the package has a declaration of that name",
    }
    ceilings = (
        Ceiling(
            "result_not_comparable", "a result that is a function can be compared with nothing"
        ),
        Ceiling(
            "no_type_argument",
            "a constraint that no basic type and no type of the package satisfies needs type_args",
        ),
    )
    example = [{"op": "add_test", "target": "Double"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the test by the target's types, as its file sees them."""
        decl = resolve_tested(scope, self.pkg, self.sym)
        home, callee = find_home(scope, self.pkg, decl, tuple(self.type_args))
        info = package_of(scope, self.pkg)
        name = pick_name(scope, info, "Test", self.name, tested_parts(decl))
        style = read_style(scope, info, home)
        recv = local_name(receiver_name(scope, decl), style, callee.qualifier)
        maker = find_maker(scope, self.pkg, home, callee)
        text = TestText(name, decl.name, callee, style, maker, recv)
        written = text.render()
        wanted = callee.imports + (maker.callee.imports if maker else ())
        imports = wishes(home, wanted, text.paths)
        edit = land(scope, home, written, imports)
        return Plan((edit,), touches=((home.caller.pkg, name),), imports=imports)
