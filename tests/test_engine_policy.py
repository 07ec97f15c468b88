"""What the proofs refuse and what they only report, and what the lenient decoding mends."""

from __future__ import annotations

import pytest

from ago.checker.checker import Change
from ago.gate.proofs.resolution import Policy, judge_changes
from ago.protocol.lenient import normalise_patch, parse_json, parse_request
from ago.protocol.requests import Patch
from grammar_ops.reject import Reject


def change(kind: str, old: str, new: str, name: str = "x") -> Change:
    return Change(kind, "a.go", 1, 1, 0, 0, name, old, new, "p", "")


CONTENT = Policy(keeps_meaning=False, touches=frozenset({"p.T.M"}))


@pytest.mark.parametrize(
    ("found", "refused"),
    [
        (change("ident", "universe@len", "p.len", "len"), True),
        (change("ident", "fmt", "local@3:4", "fmt"), True),
        (change("ident", "gopkg.in/yaml.v3", "p.yaml", "yaml"), True),
        (change("ident", "local@3:4", "new"), True),
        (change("ident", "gone", "new"), False),
        (change("ident", "gone", "local@2:2"), True),
        (change("ident", "p.E.M", "p.T.M", "M"), False),
        (change("ident", "q.M", "p.T.M", "M"), True),
        (change("selection", "p.E.Put", "p.T.Put", "Put"), True),
        (change("selection", "p.E.M", "p.T.M", "M"), False),
        (change("control", "for@3", "switch@4", ""), True),
        (change("unkeyed", "p.T.A", "p.T.B", "A"), True),
        (change("init_order", "a,b", "b,a", ""), False),
        (change("const", "3", "4", "Max"), False),
        (change("import", "", "embed", ""), False),
        (change("method_gained", "", "String", "String"), False),
    ],
)
def test_content_ops_are_refused_for_what_nobody_would_expect(found, refused):
    assert bool(judge_changes([found], CONTENT).refused) is refused


def test_ops_that_keep_meaning_are_refused_for_any_change():
    policy = Policy(keeps_meaning=True)
    assert judge_changes([change("ident", "p.x", "local@3:4")], policy).refused
    assert judge_changes([change("init_order", "a,b", "b,a", "")], policy).refused
    assert not judge_changes([change("method_gained", "", "String")], policy).refused


def test_a_moved_iota_member_is_refused_where_no_constant_was_written():
    moved = [change("const", "3", "2", "FrameClose")]
    assert judge_changes(moved, Policy(keeps_meaning=False)).refused


def test_allow_rebind_accepts_and_strict_refuses_everything():
    found = [change("control", "for@3", "switch@4", "")]
    assert not judge_changes(found, Policy(keeps_meaning=True, allow_rebind=True)).refused
    reported = [change("import", "", "embed", "")]
    assert judge_changes(reported, Policy(keeps_meaning=False, strict=True)).refused


def test_nearly_right_json_is_mended_and_named():
    value, said = parse_json('{"ops": [{"op": "set_body", "body": "a\n\tb",},], }')
    assert value == {"ops": [{"op": "set_body", "body": "a\n\tb"}]}
    assert len(said) == 2
    assert parse_json("{'op': 'it\"s'}")[0] == {"op": 'it"s'}
    assert parse_json('{"a": "x,}"}') == ({"a": "x,}"}, ())


@pytest.mark.parametrize(
    "ops", [{"op": "rename"}, '{"op": "rename"}', '[{"op": "rename"},]', ['{"op": "rename"}']]
)
def test_ops_in_other_shapes_are_taken_and_reported(ops):
    args, said = normalise_patch({"pkg": "p", "ops": ops})
    assert args["ops"] == [{"op": "rename"}] and said


def test_an_op_at_the_top_level_is_a_patch():
    args, said = normalise_patch(
        {"op": "rename", "pkg": "p", "sym": "X", "to": "Y", "dry_run": True}
    )
    assert args == {"pkg": "p", "sym": "X", "dry_run": True, "ops": [{"op": "rename", "to": "Y"}]}
    assert said


def test_a_misspelt_argument_is_refused_with_the_near_name():
    with pytest.raises(Reject) as refused:
        parse_request(Patch, {"dryrun": True})
    assert refused.value.reason == "unknown_argument"
    assert refused.value.did_you_mean == ("dry_run",)


def test_what_is_no_json_is_refused():
    with pytest.raises(Reject) as refused:
        parse_json("{ops:")
    assert refused.value.reason == "malformed_request"
