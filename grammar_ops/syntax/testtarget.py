"""What a new test is of: the function that was named, its receiver, and what makes that."""

from __future__ import annotations

from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.callee import Callee, ask_callee
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.signature import list_params
from grammar_ops.syntax.testhome import TestHome
from grammar_ops.syntax.testtext import Maker

_UNCALLABLE = ("init", "main", "_")


def resolve_tested(scope: Scope, pkg: str, sym: str) -> Decl:
    """The function or method to be tested; Reject for anything that can't be called."""
    if not sym:
        raise Reject("add_test_needs_target")
    decl = scope.resolve_decl(pkg, sym)
    if decl.kind not in ("func", "method") or decl.name in _UNCALLABLE:
        raise Reject("add_test_plain_func_only", f"{sym} is a {decl.kind}".replace("_", " "))
    return decl


def tested_parts(decl: Decl) -> list[str]:
    """The parts of a test's name."""
    return decl.sym.split(".")


def receiver_name(scope: Scope, decl: Decl) -> str:
    """What a method calls its receiver, "" for a function."""
    found = list_params(decl.node, scope.source(decl.path), "receiver")
    return found[0].names[0] if found and found[0].names else ""


def find_maker(scope: Scope, pkg: str, home: TestHome, callee: Callee) -> Maker | None:
    """The constructor that the test's file can call for the receiver, None for none."""
    for maker in callee.makers:
        args = callee.type_args if maker.generic else ()
        try:
            decl = scope.resolve_decl(pkg.removesuffix("_test"), maker.sym)
            made = ask_callee(scope, decl, home.caller, args)
        except Reject:
            continue
        if not made.hidden:
            return Maker(f"{callee.qualifier}{maker.sym}{made.instance}", made, maker.fails)
    return None
