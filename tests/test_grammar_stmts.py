"""The statement ops on a fake scope: places by node, comments, litter; no Go, no types."""

from __future__ import annotations

import pytest
from fake_scope import FakeScope, body, reason_of, run_on

CALL = {"op": "add_call", "expr": "new()"}

PLACES = [
    ("before", "n1", body("// lead", "a() // tr"), body("new()", "// lead", "a() // tr")),
    ("after", "n1", body("a() // tr", "b()"), body("a() // tr", "new()", "b()")),
    ("after", "n1", body("a(); b()"), body("a()", "new(); b()")),
    ("before", "n2", body("a(); b()"), body("a(); ", "new()", "b()")),
    ("first", "n0", "package p\n\nfunc F() {}\n", body("new()")),
    ("last", "n0", "package p\n\nfunc F() {\n}\n", body("new()")),
    ("last", "n0", body("a()", "// end"), body("a()", "// end", "new()")),
    (
        "first", "n1",
        body("if x { // why", "\ta()", "}"), body("if x { // why", "\tnew()", "\ta()", "}"),
    ),
    ("last", "n1", body("if x {", "\ta()", "}"), body("if x {", "\ta()", "\tnew()", "}")),
    ("first", "n2", body("if x {", "} else {", "}"), body("if x {", "} else {", "\tnew()", "}")),
    (
        "last", "n2",
        body("switch {", "case x: // c", "\ta()", "default:", "}"),
        body("switch {", "case x: // c", "\ta()", "\tnew()", "default:", "}"),
    ),
    (
        "last", "n2",
        body("switch {", "case x:", "\tfallthrough", "default:", "}"),
        body("switch {", "case x:", "\tnew()", "\tfallthrough", "default:", "}"),
    ),
    (
        "first", "n2",
        body("switch {", "case x:", "default:", "}"),
        body("switch {", "case x:", "\tnew()", "default:", "}"),
    ),
    ("before", "n2", body("L:", "for {", "}"), body("new()", "L:", "for {", "}")),
    ("last", "n2", body("L:", "for {", "}"), body("L:", "for {", "\tnew()", "}")),
    ("first", "n1.call.fun", body("go func() {", "}()"), body("go func() {", "\tnew()", "}()")),
]  # fmt: skip


@pytest.mark.parametrize(("where", "at", "before", "after"), PLACES)
def test_statements_land_by_node(where: str, at: str, before: str, after: str) -> None:
    assert run_on(before, {**CALL, "at": at, "where": where}) == after


@pytest.mark.parametrize(
    ("where", "at"), [("before", "n2"), ("after", "n3"), ("before", "n0"), ("before", "n1.cond")]
)
def test_no_list_no_neighbour(where: str, at: str) -> None:
    text = body("if x {", "} else if y {", "} else {", "}")
    scope = FakeScope({"a.go": text})
    assert reason_of(scope, {**CALL, "at": at, "where": where}, "F") == "not_in_statement_list"


def test_ops_at_one_place_keep_their_order() -> None:
    ops = [{"op": "add_call", "at": "n1", "where": "after", "expr": f"f{i}()"} for i in range(3)]
    assert run_on(body("a()", "b()"), *ops) == body("a()", "f0()", "f1()", "f2()", "b()")
    firsts = [{**op, "at": "n0", "where": "first"} for op in ops]
    assert run_on("package p\n\nfunc F() { a() }\n", *firsts) == (
        "package p\n\nfunc F() {\n\tf0()\n\tf1()\n\tf2()\n\t a() }\n"
    )


DELETIONS = [
    ("n1", body("a()", "b()"), body("b()")),
    ("n2", body("a()", "", "// why", "b() // tr", "", "c()"), body("a()", "", "c()")),
    ("n2", body("a()", "", "b()"), body("a()")),
    ("n1", body("a(); b()"), body("b()")),
    ("n2", body("a(); b()"), body("a()")),
    ("n2", body("if x {", "} else {", "}"), body("if x {", "}")),
    ("n2", body("switch {", "case x:", "default:", "}"), body("switch {", "default:", "}")),
    ("n1", body("go func() {", "\ta()", "}()", "b()"), body("b()")),
]


@pytest.mark.parametrize(("at", "before", "after"), DELETIONS)
def test_deletions_leave_no_litter(at: str, before: str, after: str) -> None:
    assert run_on(before, {"op": "delete_node", "at": at}) == after


def test_a_deletion_names_the_comments_it_took() -> None:
    plan = FakeScope({"a.go": body("// why", "a()")}).run(
        {"op": "delete_node", "at": "n1"}, sym="F"
    )
    assert plan.notes == {"comments_removed": ["// why"]}


def test_wrapping_carries_comments_and_rewrites_nothing() -> None:
    scope = FakeScope({"a.go": body("// lead", "a()", "// mid", "b() // tr", "", "c()")})
    scope.run({"op": "wrap_stmts", "from": "n1", "to": "n2", "with": "if", "cond": "x"}, sym="F")
    want = body("if x {", "// lead", "a()", "// mid", "b() // tr", "}", "", "c()")
    assert scope.text("a.go") == want
    assert sum(size for _, _, size in scope.ledgers["a.go"].pieces()) == len(
        scope.ledgers["a.go"].base
    )


BREAKS = [
    (body("for {", "\tbreak", "}"), "n2", True),
    (body("for {", "\tswitch {", "\tcase x:", "\t\tbreak", "\t}", "}"), "n2", False),
    (body("for {", "\tswitch {", "\tcase x:", "\t\tcontinue", "\t}", "}"), "n2", True),
    (body("L:", "for {", "\tbreak L", "}"), "n3", False),
    (body("for {", "\tfor {", "\t\tbreak", "\t}", "}"), "n2", False),
]


@pytest.mark.parametrize(("text", "at", "captured"), BREAKS)
def test_a_new_loop_takes_over_no_branch(text: str, at: str, captured: bool) -> None:
    op = {"op": "wrap_stmts", "from": at, "to": at, "with": "for", "cond": "x"}
    scope = FakeScope({"a.go": text})
    if captured:
        assert reason_of(scope, op, "F") == "branch_would_be_captured"
    else:
        scope.run(op, sym="F")
