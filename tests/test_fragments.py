"""Argument texts: parentheses by place, refusals by the parser's word, names that are names."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_scope import FakeScope, run_on

from grammar_ops.reject import Reject
from grammar_ops.syntax.fragment import is_call, is_identifier, parse_expr
from grammar_ops.syntax.names import package_name, run_kind

TABLE = Path(__file__).resolve().parent.parent / "testdata" / "fragments" / "operands.txt"
ROWS = [
    [cell.strip() for cell in line.split(" | ")]
    for line in TABLE.read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("stmt", "at", "expr", "want"), ROWS, ids=[r[3] for r in ROWS])
def test_an_expression_keeps_its_meaning_in_its_place(
    stmt: str, at: str, expr: str, want: str
) -> None:
    got = run_on(
        f"package p\n\nfunc F() {{\n\t{stmt}\n}}\n",
        {"op": "replace_expr", "at": at, "expr": expr},
    )
    assert got == f"package p\n\nfunc F() {{\n\t{want}\n}}\n"


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        ({"op": "add_call", "where": "after", "expr": "f("}, "expr_does_not_parse"),
        ({"op": "add_call", "where": "after", "expr": ""}, "expr_does_not_parse"),
        ({"op": "add_call", "where": "after", "expr": "a + b"}, "needs_call_expr"),
        ({"op": "add_call", "where": "below", "expr": "f()"}, "unknown_insertion_point"),
        ({"op": "add_call", "where": "last", "expr": "f()"}, "handle_owns_no_block"),
        (
            {"op": "add_assign", "where": "after", "lhs": "x.y", "rhs": "1", "define": True},
            "lhs_not_identifier",
        ),
        (
            {"op": "add_assign", "where": "after", "lhs": "x", "rhs": "1; y = 2"},
            "replacement_does_not_parse",
        ),
        ({"op": "set_cond", "expr": "x"}, "set_cond_wrong_node"),
        ({"op": "replace_expr", "expr": "x"}, "replace_expr_wrong_node"),
    ],
)
def test_what_does_not_fit_is_refused(op: dict[str, object], reason: str) -> None:
    with pytest.raises(Reject) as miss:
        run_on("package p\n\nfunc F() {\n\tx = y\n}\n", {**op, "at": "n1"})
    assert miss.value.reason == reason


def test_a_statement_slot_takes_one_statement() -> None:
    with pytest.raises(Reject) as miss:
        run_on(
            "package p\n\nfunc F() {\n\tfor i := 0; i < 3; i++ {\n\t}\n}\n",
            {"op": "replace_expr", "at": "n1.init", "expr": "a(); b()"},
        )
    assert miss.value.reason == "replacement_does_not_parse"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("f()", True),
        ("(f())", True),
        ("<-c", True),
        ("f", False),
        ("f[int](x)", True),
        ("-x", False),
    ],
)
def test_calls_and_receives_are_statements(text: str, want: bool) -> None:
    assert is_call(FakeScope({}), parse_expr(text)) is want


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("x", True),
        ("_", True),
        ("Ä1", True),
        ("1x", False),
        ("a b", False),
        ("type", False),
        ("", False),
    ],
)
def test_identifiers(name: str, want: bool) -> None:
    assert is_identifier(name) is want


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/my-pkg", "mypkg"), ("a/b/v2", "b"), ("gopkg.in/yaml.v3", "yaml"),
        ("a/go-redis", "redis"),
        ("a/type", "typepkg"), ("a/9p", "p"), ("a/x_test", "x"), ("a/Foo", "foo"),
    ],
)  # fmt: skip
def test_package_names_are_legal(path: str, name: str) -> None:
    assert package_name(path) == name


@pytest.mark.parametrize(
    ("name", "is_test", "kind"),
    [
        ("TestX", True, "Test"), ("Testx", True, ""), ("Test", True, "Test"), ("TestX", False, ""),
        ("TestMain", True, "TestMain"), ("ExampleT_m", True, "Example"), ("init", False, "init"),
    ],
)  # fmt: skip
def test_what_the_go_command_runs(name: str, is_test: bool, kind: str) -> None:
    assert run_kind(name, is_test, False) == kind


def test_a_body_may_not_go_on_behind_the_function() -> None:
    scope = FakeScope({"a.go": "package p\n\nfunc F() {}\n"})
    with pytest.raises(Reject) as miss:
        scope.run({"op": "set_body", "body": "a()\n}\n\nfunc G() {\n\tb()"}, sym="F")
    assert miss.value.reason == "body_does_not_parse"
