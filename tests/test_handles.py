"""Handles: one numbering of all statements, slots by go/ast's names, near names on a miss."""

from __future__ import annotations

import pytest
from fake_scope import FakeScope, run_on

from grammar_ops.reject import Reject
from grammar_ops.syntax.decls import find_decl
from grammar_ops.syntax.nodes import text_of
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.stmts import child_handles, find_target, list_handles, list_slots

SRC = b"""package p

func F(x any, c chan int) (n int) {
	switch y := x.(type) {
	case int, string:
		n = 1
	default:
	}
	select {
	case v := <-c:
		n = v
	case c <- 2:
	}
loop:
	for i := 0; i < 3; i++ {
		if i > 1 { break loop } else if n == 0 {
			continue
		} else {
			func() { n++ }()
		}
	}
	for k, v := range map[string][]int{"a": {1, 2}} {
		_, _ = k, v[1:2]
	}
	defer g(c, xs...)
	return n*2 - 1
}
"""
DECL = find_decl(parse(SRC), SRC, "F", "a.go")
assert DECL is not None

KINDS = [
    ("n1", "stmt", "switch y"), ("n2", "clause", "case int"), ("n3", "stmt", "n = 1"),
    ("n4", "clause", "default"), ("n5", "stmt", "select"), ("n6", "clause", "case v"),
    ("n7", "stmt", "n = v"), ("n8", "clause", "case c"), ("n9", "stmt", "loop:"),
    ("n10", "stmt", "for i"), ("n11", "stmt", "if i > 1"), ("n12", "stmt", "break loop"),
    ("n13", "stmt", "if n == 0"), ("n14", "stmt", "continue"), ("n15", "block", "{\n\t\t\tfunc"),
    ("n16", "stmt", "func()"), ("n17", "stmt", "n++"), ("n18", "stmt", "for k"),
    ("n19", "stmt", "_, _ = k"), ("n20", "stmt", "defer"), ("n21", "stmt", "return"),
]  # fmt: skip

SLOTS = {
    "n1.x": "x", "n2.list[1]": "string", "n6.comm": "v := <-c", "n6.comm.rhs[0].x": "c",
    "n8.comm.value": "2", "n10.init": "i := 0", "n10.cond.y": "3", "n10.post.x": "i",
    "n11.cond": "i > 1", "n16.x.fun": "func() { n++ }", "n17.x": "n", "n18.key": "k",
    "n18.value": "v", "n18.x.elts[0].key": '"a"', "n18.x.elts[0].value.elts[1]": "2",
    "n18.x.type": "map[string][]int", "n19.rhs[1].low": "1", "n20.call.args[1]": "xs",
    "n21.results[0].x.y": "2", "n21.results[0].y": "1",
}  # fmt: skip


def test_numbering_is_preorder_over_everything() -> None:
    handles = list_handles(DECL)
    assert next(iter(handles)) == "n0"
    found = [(h.name, h.kind) for h in handles.values() if h.name != "n0"]
    assert found == [(name, kind) for name, kind, _ in KINDS]
    for name, _, text in KINDS:
        assert text_of(SRC, handles[name].node).startswith(text), name


@pytest.mark.parametrize("at", SLOTS)
def test_slots_have_the_names_of_go_ast(at: str) -> None:
    target = find_target(DECL, at)
    assert (target.kind, text_of(SRC, target.node)) == ("slot", SLOTS[at])


def test_every_listed_slot_is_found_by_its_name() -> None:
    for handle in list_handles(DECL).values():
        for name, node in list_slots(handle.node, handle.name):
            assert find_target(DECL, name).node == node


@pytest.mark.parametrize(
    ("at", "near"),
    [("n99", ("n19",)), ("n21.result", ("n21.results[0]",)), ("x", ("n0", "n1", "n2"))],
)
def test_a_miss_names_what_is_near(at: str, near: tuple[str, ...]) -> None:
    with pytest.raises(Reject) as miss:
        find_target(DECL, at)
    assert miss.value.reason == "unknown_handle"
    assert set(near) <= set(miss.value.did_you_mean)


def test_children_are_those_inside() -> None:
    assert child_handles(DECL, list_handles(DECL)["n11"].node) == [
        "n12", "n13", "n14", "n15", "n16", "n17",
    ]  # fmt: skip


def test_statements_of_a_type_are_refused() -> None:
    scope = FakeScope({"a.go": "package p\n\ntype T struct{}\n"})
    with pytest.raises(Reject) as miss:
        scope.run({"op": "delete_node", "at": "n1"}, sym="T")
    assert miss.value.reason == "not_a_function"


def test_a_reference_stays_on_its_statement() -> None:
    text = "package p\n\nfunc F() {\n\ta()\n\tb()\n}\n"
    got = run_on(
        text,
        {"op": "add_if", "at": "n2", "where": "before", "cond": "x"},
        {"op": "add_call", "at": "n1", "where": "before", "expr": "c()"},
        {"op": "add_call", "at": "$1", "where": "first", "expr": "d()"},
        {"op": "set_cond", "at": "$1", "expr": "y"},
        {"op": "add_call", "at": "$4", "where": "last", "expr": "e()"},
    )
    assert got == (
        "package p\n\nfunc F() {\n\tc()\n\ta()\n\tif y {\n\t\td()\n\t\te()\n\t}\n\tb()\n}\n"
    )


def test_a_wrapper_is_named_whole() -> None:
    got = run_on(
        "package p\n\nfunc F() {\n\ta()\n\tb()\n}\n",
        {"op": "wrap_stmts", "from": "n1", "to": "n2", "with": "if", "cond": "x"},
        {"op": "add_call", "at": "$1", "where": "after", "expr": "c()"},
        {"op": "replace_expr", "at": "$1", "expr": "y"},
        {"op": "add_call", "at": "$3", "where": "first", "expr": "d()"},
    )
    # The wrapped bytes stay as they are: indentation is the formatter's.
    want = "package p\n\nfunc F() {\n\tif y {\n\td()\n\ta()\n\tb()\n\t}\n\tc()\n}\n"
    assert got == want


def test_a_reference_needs_an_earlier_op() -> None:
    with pytest.raises(Reject) as miss:
        run_on("package p\n\nfunc F() {\n}\n", {"op": "delete_node", "at": "$1"})
    assert miss.value.reason == "unknown_ref"
