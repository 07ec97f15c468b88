"""Repairs as data: what each refusal offers, what is dropped, what is said of an untried one."""

from __future__ import annotations

from typing import Any

import pytest

import ago.main  # noqa: F401 - every layer registers its reasons
from ago.protocol.errors import AgoError
from ago.repair.catalog import BUILDERS, build_repairs
from grammar_ops.reject import Finding, Reject, Repair, registered_reasons

Json = dict[str, Any]


class Tried:
    """A dry run that remembers its calls and refuses those whose symbol is in `refused`."""

    def __init__(self, *refused: str, count: int = 1) -> None:
        self.calls: list[tuple[str, Json]] = []
        self.refused, self.count = refused, count

    def __call__(self, tool: str, args: Json) -> Json:
        self.calls.append((tool, args))
        if args.get("sym") in self.refused:
            raise Reject("symbol_not_found")
        return {"status": "ok", "count": self.count}


def calls(repairs: tuple[Repair, ...]) -> list[tuple[str, Json]]:
    return [(repair.call.tool, repair.call.args) for repair in repairs]


def miss(*near: str) -> Reject:
    facts = {"missed": "sym", "pkg": "demo/lib", "sym": "Doubel"}
    return Reject("symbol_not_found", did_you_mean=near, facts=facts)


def test_every_builder_mends_a_reason_that_exists():
    assert set(BUILDERS) <= set(registered_reasons())


def test_a_missed_symbol_is_replaced_in_the_call_that_missed_it():
    tried = Tried()
    args: Json = {"pkg": "demo/lib", "sym": "Doubel", "body": "return v"}
    found = build_repairs(miss("Double"), "set_body", args, tried)
    assert calls(found)[0] == ("set_body", {**args, "sym": "Double"})
    assert calls(found)[1] == ("search", {"q": "Doubel"})
    assert all(repair.checked for repair in found)
    assert tried.calls[0][1]["dry_run"] is True
    assert "dry_run" not in found[0].call.args


def test_the_op_that_missed_is_mended_inside_of_its_patch():
    reject = miss("Double")
    reject.op = 2
    ops = [
        {"op": "set_doc", "sym": "Tail", "text": "x"},
        {"op": "set_body", "sym": "Doubel", "body": ""},
    ]
    found = build_repairs(reject, "patch", {"pkg": "demo/lib", "ops": ops}, Tried())
    mended = found[0].call.args["ops"]
    assert mended == [ops[0], {"op": "set_body", "pkg": "demo/lib", "sym": "Double", "body": ""}]


def test_a_repair_that_would_be_refused_is_not_offered():
    found = build_repairs(miss("Double", "Doubles"), "view", {"sym": "Doubel"}, Tried("Double"))
    assert [args.get("sym") for _, args in calls(found)] == ["Doubles", None]


def test_a_search_that_finds_nothing_is_not_offered():
    found = build_repairs(miss(), "view", {"sym": "Doubel"}, Tried(count=0))
    assert calls(found) == [("query", {"kind": "outline"})]


def test_at_most_three_are_offered():
    near = tuple(f"Double{n}" for n in range(9))
    assert len(build_repairs(miss(*near), "view", {"sym": "Doubel"}, Tried())) == 3


def test_what_there_was_no_time_to_try_says_so():
    tried = Tried()
    found = build_repairs(miss("Double"), "view", {"sym": "Doubel"}, tried, -1.0)
    assert found and not any(repair.checked for repair in found) and not tried.calls


def test_a_failing_environment_makes_no_repair():
    def broken(tool: str, args: Json) -> Json:
        raise AgoError("no_go", "no go command")

    assert build_repairs(miss("Double"), "view", {"sym": "Doubel"}, broken) == ()


def test_a_misspelt_op_word_or_argument_is_put_right():
    op = {"op": "renam", "sym": "Limit", "to": "Max"}
    reject = Reject("unknown_op", did_you_mean=("rename",), op=1)
    (found,) = build_repairs(reject, "patch", {"ops": [op]}, Tried())
    assert found.call.args == {"ops": [{**op, "op": "rename"}]}

    reject = Reject("arg_not_in_schema", did_you_mean=("to",), op=1, facts={"field": "too"})
    ops = [{"op": "rename", "sym": "Limit", "too": "Max"}]
    found, helping = build_repairs(reject, "patch", {"ops": ops}, Tried())
    assert found.call.args == {"ops": [{"op": "rename", "sym": "Limit", "to": "Max"}]}
    assert (helping.call.tool, helping.call.args) == ("help", {"name": "rename"})

    facts = {"argument": "dryrun"}
    reject = Reject("unknown_argument", did_you_mean=("dry_run",), facts=facts)
    args: Json = {"sym": "Limit", "to": "Max", "dryrun": True}
    found = build_repairs(reject, "rename", args, Tried())[0]
    assert found.call.args == {"sym": "Limit", "to": "Max", "dry_run": True}


def test_ops_in_another_shape_are_mended_as_the_list_they_stand_for():
    reject = Reject("unknown_op", did_you_mean=("rename",), op=1)
    (found,) = build_repairs(reject, "patch", {"ops": '{"op": "renam",}'}, Tried())
    assert found.call.args == {"ops": [{"op": "rename"}]}


def test_a_stale_view_is_looked_at_again():
    facts: Json = {"pkg": "demo/lib", "sym": "Double", "generation": 3, "handles": {"n1": "n2"}}
    reject = Reject("stale_generation", facts=facts, op=1)
    args: Json = {"ops": [{"op": "delete_node", "at": "n1"}], "generation": 2}
    look, again = build_repairs(reject, "patch", args, Tried())
    assert (look.call.tool, look.call.args) == ("view", {"pkg": "demo/lib", "sym": "Double"})
    ops = [{"op": "delete_node", "at": "n2"}]
    assert (again.call.tool, again.call.args) == ("patch", {"ops": ops, "generation": 3})


@pytest.mark.parametrize(
    ("reason", "flag"), [("meaning_changed", "allow_rebind"), ("generated_file", "allow_generated")]
)
def test_what_can_be_accepted_knowingly_is_offered_so(reason: str, flag: str):
    (found,) = build_repairs(Reject(reason), "rename", {"sym": "X", "to": "Y"}, Tried())
    assert found.call.args == {"sym": "X", "to": "Y", flag: True}


def test_each_package_that_a_name_may_mean_is_a_call():
    reject = Reject("ambiguous_import", did_you_mean=("math/rand", "crypto/rand"))
    found = build_repairs(reject, "set_body", {"sym": "X"}, Tried())
    assert [args["prefer_imports"] for _, args in calls(found)] == [["math/rand"], ["crypto/rand"]]


def test_undefined_names_are_looked_for_once_each():
    said = ("undefined: foo", "undefined: foo", "undefined: lib.Bar", "missing return")
    reject = Reject(
        "patch_does_not_typecheck", diagnostics=tuple(Finding("a.go", 1, 1, msg) for msg in said)
    )
    found = build_repairs(reject, "set_body", {"sym": "X"}, Tried())
    assert calls(found) == [("search", {"q": "foo"}), ("search", {"q": "Bar"})]
