"""What a new test is of: the function that was named, its receiver, and what makes that."""

from __future__ import annotations

from collections.abc import Sequence

from grammar_ops.op import Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.callee import Callee, ask_callee
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.fragment import check_expr
from grammar_ops.syntax.signature import list_params
from grammar_ops.syntax.testcall import TestCall, free_local
from grammar_ops.syntax.testhome import TestHome, find_home, land, wishes
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


def call_parts(
    scope: Scope, pkg: str, sym: str, type_args: Sequence[str], recv: str, test: str
) -> tuple[Decl, TestHome, TestCall]:
    """The target of a test without a table, the file that it goes to, and the call there."""
    decl = resolve_tested(scope, pkg, sym)
    home, callee = find_home(scope, pkg, decl, tuple(type_args))
    given = check_expr(scope, recv, "recv").text if recv else ""
    maker = None if given else find_maker(scope, pkg, home, callee)
    name = free_local(receiver_name(scope, decl), callee.qualifier)
    return decl, home, TestCall(decl.name, callee, maker, given, name, test)


def landed(
    scope: Scope, home: TestHome, call: TestCall, name: str, lines: Sequence[str], paths: list[str]
) -> Plan:
    """The plan that puts a new test function, given as lines, into its file."""
    wanted = call.callee.imports + (call.maker.callee.imports if call.maker else ())
    imports = wishes(home, wanted, [*paths, *call.paths])
    edit = land(scope, home, "\n".join(lines), imports)
    return Plan((edit,), touches=((home.caller.pkg, name),), imports=imports)


def example_name(decl: Decl, suffix: str) -> str:
    """The name by which go doc finds an example; one of what is not exported is the package's."""
    parts = tested_parts(decl)
    if not all(part[:1].isupper() for part in parts):
        parts = ["", "_".join([parts[0][:1].lower() + parts[0][1:], *parts[1:]])]
    tail = f"_{suffix[:1].lower()}{suffix[1:]}" if suffix else ""
    return f"Example{'_'.join(parts)}{tail}"


def shown(callee: Callee, called: str) -> list[str]:
    """The lines that print what a call gives, or the error in its place."""
    fails = bool(callee.results) and callee.results[-1].type == "error"
    count = len(callee.results) - int(fails)
    if not callee.results:
        return [called]
    if not fails:
        return [f"fmt.Println({called})"]
    gots = [f"got{n or ''}" for n in range(count)]
    check = ["\tfmt.Println(err)", "\treturn", "}"]
    if not gots:
        return [f"if err := {called}; err != nil {{", *check]
    return [
        f"{', '.join([*gots, 'err'])} := {called}",
        "if err != nil {",
        *check,
        f"fmt.Println({', '.join(gots)})",
    ]


def output_lines(output: str, unordered: bool) -> list[str]:
    """The comment that says what an example prints."""
    if not output:
        return []
    head = "// Unordered output:" if unordered else "// Output:"
    lines = output.strip("\n").split("\n")
    if len(lines) == 1:
        return [f"{head} {lines[0]}"]
    return [head, *(f"// {line}".rstrip() for line in lines)]
