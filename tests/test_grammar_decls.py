"""The declaration ops on a fake scope: docs, groups, call sites, new files; no Go, no types."""

from __future__ import annotations

import pytest
from fake_scope import MODULE, FakeScope, body, reason_of

from grammar_ops.edit import Span
from grammar_ops.scope import ObjectInfo

CALLS = [
    ("", "f()", "f(0)"),
    ("a int", "f(1)", "f(1, 0)"),
    ("a, b int", "f(1, f(2, 3))", "f(1, f(2, 3, 0), 0)"),
    ("a int", "f(\n\t\t1, // one\n\t)", "f(\n\t\t1, // one\n\t\t0,\n\t)"),
    ("a, b int", "f(1, 2,\n\t)", "f(1, 2,\n\t\t0,\n\t)"),
    ("a int", "(f)(1)", "(f)(1, 0)"),
    ("", "f( /* none */ )", "f( /* none */ 0)"),
]


@pytest.mark.parametrize(("params", "call", "want"), CALLS)
def test_calls_get_the_new_argument(params: str, call: str, want: str) -> None:
    text = "package p\n\nfunc f(%s) int { return 0 }\n\nfunc g() {\n\t_ = %s\n}\n"
    scope = FakeScope({"a.go": text % (params, call)})
    op = {"op": "add_param", "sym": "f", "name": "n", "type": "int", "default": "0"}
    scope.run(op)
    assert scope.text("a.go") == text % (f"{params}, n int".removeprefix(", "), want)


SIGNATURES = [
    ("(a int)", "(a int, n int)"),
    ("(a, b int)", "(a, b int, n int)"),
    ("(int, string)", "(_ int, _ string, n int)"),
    ("(a int, xs ...int)", "(a int, n int, xs ...int)"),
    ("(\n\ta int, // first\n)", "(\n\ta int, // first\n\tn int,\n)"),
]


@pytest.mark.parametrize(("params", "want"), SIGNATURES)
def test_the_parameter_lands_in_its_list(params: str, want: str) -> None:
    scope = FakeScope({"a.go": f"package p\n\nfunc f{params} {{}}\n"})
    scope.run({"op": "add_param", "sym": "f", "name": "n", "type": "int"})
    assert scope.text("a.go") == f"package p\n\nfunc f{want} {{}}\n"


def test_an_argument_goes_before_the_variadic_ones() -> None:
    head = "package p\n\nfunc f(a int, xs ...int) {}\n\n"
    text = head + "func g() {\n\tf(1)\n\tf(1, 2, 3)\n\tf(1, xs...)\n}\n"
    scope = FakeScope({"a.go": text})
    scope.run({"op": "add_param", "sym": "f", "name": "n", "type": "int", "default": "0"})
    assert "f(1, 0)\n\tf(1, 0, 2, 3)\n\tf(1, 0, xs...)" in scope.text("a.go")


PARAM_REFUSALS = [
    ("func f() {}\n\nvar _ = f\n", {}, "used_as_value"),
    ("func f() {}\n\nvar _ = f()\n", {"default": ""}, "default_required"),
    ("func f(n int) {}\n", {}, "param_name_collides"),
    ("func f() (n int) { return }\n", {}, "param_name_collides"),
    ("func f() {\n\tn := 1\n}\n", {}, "param_name_collides"),
    ("func f() {\n\tvar n int\n}\n", {}, "param_name_collides"),
    ("func f(xs ...int) {}\n", {"type": "...int"}, "variadic_must_be_last"),
    ("func f() {}\n", {"name": "a-b"}, "bad_param_name"),
    ("func f() {}\n", {"type": "int)"}, "type_does_not_parse"),
    ("func f(a, b int) {}\n\nvar _ = f(g())\n", {}, "call_site_unreadable"),
    ("func f(a, b int) {}\n\nvar _ = f(1)\n", {}, "call_site_unreadable"),
]


@pytest.mark.parametrize(("text", "args", "reason"), PARAM_REFUSALS)
def test_parameters_that_cannot_be(text: str, args: dict[str, str], reason: str) -> None:
    scope = FakeScope({"a.go": f"package p\n\n{text}"})
    op = {"op": "add_param", "sym": "f", "name": "n", "type": "int", "default": "0", **args}
    assert reason_of(scope, op) == reason


def test_a_local_becomes_the_parameter() -> None:
    scope = FakeScope({"a.go": body("n := 0", "use(n)")})
    scope.run({"op": "add_param", "sym": "F", "name": "n", "type": "int", "default": "0"})
    assert scope.text("a.go") == body("use(n)").replace("F()", "F(n int)")


def test_results_of_a_variadic_argument_are_asked_for() -> None:
    text = "package p\n\nfunc f(xs ...int) {}\n\nvar _ = f(g())\n"
    op = {"op": "add_param", "sym": "f", "name": "n", "type": "int", "default": "0"}
    many = FakeScope({"a.go": text}, {"type_at": {"results": [{}, {}]}})
    assert reason_of(many, op) == "call_site_unreadable"
    one = FakeScope({"a.go": text}, {"type_at": {"results": [{}]}})
    one.run(op)
    assert "f(0, g())" in one.text("a.go")


UPSERTS = [
    ("// F one.\nfunc F() {} // tr\n", "func F() { a() }", "// F one.\nfunc F() { a() } // tr\n"),
    ("// F one.\nfunc F() {}\n", "// F two.\nfunc F() {}", "// F two.\nfunc F() {}\n"),
    (
        "// F one.\n//\n//go:noinline\nfunc F() {}\n", "// F two.\nfunc F() {}",
        "// F two.\n//go:noinline\nfunc F() {}\n",
    ),
    ("var a = 1 // tr\n", "var a = 2 // new", "var a = 2 // new\n"),
    (
        "var (\n\t// A is.\n\ta = 1 // one\n\tb = 2\n)\n", "var a = 3",
        "var (\n\t// A is.\n\ta = 3 // one\n\tb = 2\n)\n",
    ),
    (
        "var (\n\ta = 1\n)\n", "// a is.\nvar (\n\ta = 3\n)", "var (\n\t// a is.\n\ta = 3\n)\n",
    ),
    ("type T struct{}\n", "type T = int", "type T = int\n"),
    (
        "type T int\n\nfunc (t T) A() {}\n\nfunc g() {}\n", "func (t T) B() {}",
        "type T int\n\nfunc (t T) A() {}\n\nfunc (t T) B() {}\n\nfunc g() {}\n",
    ),
    ("func g() {}\n", "func h() {}", "func g() {}\n\nfunc h() {}\n"),
    (
        "// G is.\nvar (\n\ta = 1\n\tb = 2\n) // tr\n", "var (\n\ta = 3\n\tc = 4\n)",
        "// G is.\nvar (\n\ta = 3\n\tc = 4\n) // tr\n",
    ),
    ("var a, b = 1, 2\n", "var a, c = 1, 3", "var a, c = 1, 3\n"),
    ("func init() {}\n", "func init() { a() }", "func init() {}\n\nfunc init() { a() }\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "text", "after"), UPSERTS)
def test_upserts_keep_what_the_text_lacks(before: str, text: str, after: str) -> None:
    scope = FakeScope({"a.go": f"package p\n\n{before}"})
    scope.run({"op": "upsert_decl", "text": text})
    assert scope.text("a.go") == f"package p\n\n{after}"


UPSERT_REFUSALS = [
    ("x := 1", "decl_does_not_parse"),
    ("", "decl_does_not_parse"),
    ("func f() {}\n\nfunc g() {}", "expected_one_decl"),
    ("const (\n\tA = 1\n\tc = 2\n)", "members_apart"),
    ('import "fmt"', "unsupported_decl_kind"),
    ("func A() {}", "replaces_group_member"),
    ("var A = 1", "group_token_mismatch"),
    ("const A = 2", "follower_inherits"),
    ("const c = 2", "spec_multi_name"),
]


@pytest.mark.parametrize(("text", "reason"), UPSERT_REFUSALS)
def test_upserts_that_cannot_be(text: str, reason: str) -> None:
    scope = FakeScope({"a.go": "package p\n\nconst (\n\tA = 1\n\tB\n)\n\nconst c, d = 1, 2\n"})
    assert reason_of(scope, {"op": "upsert_decl", "text": text}) == reason


def test_new_declarations_find_a_file() -> None:
    scope = FakeScope(
        {
            "a_gen.go": "// Code generated by x. DO NOT EDIT.\n\npackage p\n",
            "b.go": "package p\n",
            "doc.go": "package p\n",
        }
    )
    assert scope.run({"op": "upsert_decl", "text": "var x = 1"}).notes == {"action": "added"}
    assert scope.text("b.go") == "package p\n\nvar x = 1\n"
    text = "func TestX(t *testing.T) {}"
    assert scope.run({"op": "upsert_decl", "text": text}).notes == {"action": "created-file"}
    assert scope.text("agent_test.go") == f"package p\n\n{text}\n"
    plan = scope.run({"op": "upsert_decl", "pkg": f"{MODULE}/my-pkg/v2", "text": "var x = 1"})
    assert plan.notes == {"action": "created-package"}
    assert scope.text("my-pkg/v2/agent.go") == "package mypkg\n\nvar x = 1\n"
    outside = {"op": "upsert_decl", "pkg": "other.test/x", "text": "var x = 1"}
    assert reason_of(scope, outside) == "package_outside_module"


def test_a_file_outside_the_build_is_not_written_over() -> None:
    scope = FakeScope({"x/agent.go": "//go:build never\n\npackage x\n"})
    scope.find_package = lambda pkg: None  # type: ignore[method-assign]
    op = {"op": "upsert_decl", "pkg": f"{MODULE}/x", "text": "var y = 1"}
    assert reason_of(scope, op) == "package_exists_unloaded"


GROUP = (
    "package p\n\n// Group.\nconst (\n\tA = 1\n\tB\n\t// C is.\n\tC = iota // c\n\tD\n\tE = 5\n)\n"
)
GROUP_DELETES = [
    ("A", "spec_inherits_value"), ("B", "spec_uses_iota"), ("C", "spec_inherits_value"),
    ("D", ""), ("E", ""),
]  # fmt: skip


@pytest.mark.parametrize(("sym", "reason"), GROUP_DELETES)
def test_no_other_constant_moves(sym: str, reason: str) -> None:
    scope, op = FakeScope({"a.go": GROUP}), {"op": "delete_decl", "sym": sym}
    if reason:
        assert reason_of(scope, op) == reason
    else:
        scope.run(op)
        gone = {"D": "\tD\n", "E": "\tE = 5\n"}[sym]
        assert scope.text("a.go") == GROUP.replace(gone, "")


def test_a_group_goes_with_its_last_members() -> None:
    scope = FakeScope({"a.go": f"{GROUP}\n// F is.\nfunc F() {{}}\n"})
    scope.run({"op": "delete_decl", "syms": ["A", "B", "C", "D", "E"]})
    assert scope.text("a.go") == "package p\n\n// F is.\nfunc F() {}\n"


def test_what_is_referenced_stays_unless_it_all_goes() -> None:
    text = "package p\n\ntype T int\n\nfunc (t T) M() { t.M() }\n\nfunc f() { f() }\n"
    scope = FakeScope({"a.go": text})
    assert reason_of(scope, {"op": "delete_decl", "sym": "T"}) == "still_referenced"
    assert reason_of(scope, {"op": "delete_decl", "sym": "T.x"}) == "symbol_not_found"
    scope.run({"op": "delete_decl", "syms": ["T", "T.M"]})
    scope.run({"op": "delete_decl", "sym": "f"})
    assert scope.text("a.go").strip() == "package p"


def test_members_of_a_type_go_with_their_line() -> None:
    scope = FakeScope({"a.go": "package p\n\ntype T struct {\n\tA int\n\tB, C bool\n}\n"})
    scope.run({"op": "delete_decl", "sym": "T.A"})
    scope.run({"op": "delete_decl", "sym": "T.B"})
    assert scope.text("a.go") == "package p\n\ntype T struct {\n\tC bool\n}\n"
    both = {"op": "delete_decl", "syms": ["U.A", "U.B"]}
    scope = FakeScope({"a.go": "package p\n\ntype U struct {\n\tA int\n\tB int\n}\n"})
    assert reason_of(scope, both) == "several_members"


DOCS = [
    ("F", "F does.\n\nMore.", "// F does.\n//\n// More.\n//go:noinline\nfunc F() {}"),
    ("F", "", "//go:noinline\nfunc F() {}"),
    ("T.A", "A is.", "\t// A is.\n\tA int"),
    ("x", "x is.", "\t// x is.\n\tx = 1"),
    ("I.M", "M does.", "\t// M does.\n\tM()"),
    ("S.B", "B is.", "struct{ A int; \n// B is.\nB int }"),
]


@pytest.mark.parametrize(("sym", "text", "want"), DOCS)
def test_docs_are_set_where_they_belong(sym: str, text: str, want: str) -> None:
    scope = FakeScope(
        {
            "a.go": "package p\n\n// Old.\n//go:noinline\nfunc F() {}\n\n"
            "type T struct {\n\tA int\n}\n\n"
            "var (\n\t/* old */\n\tx = 1\n)\n\ntype I interface {\n\tM()\n}\n\n"
            "type S struct{ A int; B int }\n"
        }
    )
    scope.run({"op": "set_doc", "sym": sym, "text": text})
    assert want in scope.text("a.go")
    assert "Old" not in scope.text("a.go") or sym != "F"


def test_set_body_takes_the_whole_function() -> None:
    text = "package p\n\n// F is.\nfunc F(a, b int) (int, error) { return 0, nil }\n"
    scope = FakeScope({"a.go": text})
    whole = "func F(\n\ta, b int,\n) (int, error) {\n\t// why\n\treturn a, nil\n}"
    scope.run({"op": "set_body", "sym": "F", "body": whole})
    assert scope.text("a.go").endswith(
        "// F is.\nfunc F(a, b int) (int, error) {\n\t// why\n\treturn a, nil\n}\n"
    )
    other = "func F(a int) (int, error) {\n\treturn a, nil\n}"
    assert reason_of(scope, {"op": "set_body", "sym": "F", "body": other}) == "signature_changed"
    scope.run({"op": "set_body", "sym": "F", "body": "// only a comment"})
    assert scope.text("a.go").endswith("error) {\n// only a comment\n}\n")


RENAMES = [
    ({"a.go": "package p\n\nfunc F() {}\n"}, "F", "F", "already_named"),
    ({"a.go": "package p\n\nfunc F() {}\n"}, "F", "type", "bad_new_name"),
    ({"a.go": "package p\n\nfunc F() {}\n"}, "F", "_", "bad_new_name"),
    ({"a.go": "package p\n\nfunc F() {}\n"}, "F", "init", "bad_new_name"),
    ({"a.go": "package p\n\nfunc F() {}\n"}, "F", "other.G", "bad_new_name"),
    ({"a.go": "package main\n\nfunc main() {}\n"}, "main", "run", "runs_by_name"),
    ({"a_test.go": "package p\n\nfunc TestF() {}\n"}, "TestF", "checkF", "runs_by_name"),
    ({"a.go": "package p\n\ntype S struct {\n\tT\n}\n"}, "S.T", "U", "embedded_field"),
]


@pytest.mark.parametrize(("files", "sym", "to", "reason"), RENAMES)
def test_names_that_cannot_be(files: dict[str, str], sym: str, to: str, reason: str) -> None:
    assert reason_of(FakeScope(files), {"op": "rename", "sym": sym, "to": to}) == reason


@pytest.mark.parametrize("to", ["G", "m.G", f"{MODULE}.G"])
def test_a_qualifier_that_says_nothing_new_is_taken_off(to: str) -> None:
    scope = FakeScope(
        {"a.go": "package p\n\nfunc F() { F() }\n", "b.go": "package p\n\nvar _ = F\n"}
    )
    plan = scope.run({"op": "rename", "sym": "F", "to": to})
    assert scope.text("a.go") == "package p\n\nfunc G() { G() }\n"
    assert scope.text("b.go") == "package p\n\nvar _ = G\n"
    assert plan.notes == {"references": 3}


def test_a_field_named_by_the_type_follows_it() -> None:
    text = "package p\n\ntype T int\n\ntype S struct {\n\tT\n}\n\nvar s = S{T: 1}\n"
    scope = FakeScope({"a.go": text})
    at = text.index("\tT") + 1
    scope.embedded = [
        ObjectInfo(MODULE, "S.T", "field", "", "a.go", Span(at, at + 1), frozenset({"embedded"}))
    ]
    plan = scope.run({"op": "rename", "sym": "T", "to": "U"})
    assert scope.text("a.go") == text.replace("T", "U")
    assert [r.sym for r in plan.renames] == ["T", "S.T"]


def test_references_that_no_edit_may_touch() -> None:
    scope = FakeScope({"a.go": "package p\n\nfunc F() {}\n", "../b.go": "package q\n\nvar _ = F\n"})
    op = {"op": "rename", "sym": "F", "to": "G"}
    assert reason_of(scope, op) == "referenced_outside_workspace"


ASSEMBLY = [
    ({"op": "rename", "to": "G"}, "named_in_assembly"),
    ({"op": "add_param", "name": "n", "type": "int"}, "used_as_value"),
    ({"op": "delete_decl"}, "still_referenced"),
]


@pytest.mark.parametrize(("op", "reason"), ASSEMBLY)
def test_what_assembly_names_stays(op: dict[str, object], reason: str) -> None:
    scope = FakeScope({"a.go": "package p\n\nfunc F() {}\n"})
    info = scope.find_object(MODULE, "F")
    assert info is not None
    known = info._replace(flags=frozenset({"in_assembly"}))
    scope.find_object = lambda pkg, sym: known  # type: ignore[method-assign]
    assert reason_of(scope, {**op, "sym": "F"}) == reason
