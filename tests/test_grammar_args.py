"""JSON to ops: three kinds of misfit, each with the field and what is near."""

from __future__ import annotations

import pytest

from grammar_ops.catalog import CATALOG, catalog_version, describe, parse_op
from grammar_ops.reject import Reject

MISFITS = [
    ("rename", "malformed_op", ""),
    ({"sym": "F"}, "malformed_op", ""),
    ({"op": "renam"}, "unknown_op", "rename"),
    ({"op": "Set_Body"}, "unknown_op", "set_body"),
    ({"op": "rename"}, "arg_required", ""),
    ({"op": "rename", "to": "G", "symbol": "F"}, "arg_not_in_schema", "sym"),
    ({"op": "rename", "to": 1}, "arg_not_in_schema", ""),
    ({"op": "add_return", "at": "n1", "where": "after", "exprs": "x"}, "arg_not_in_schema", ""),
    ({"op": "wrap_stmts", "first": "n1"}, "arg_not_in_schema", ""),
]


@pytest.mark.parametrize(("raw", "reason", "near"), MISFITS)
def test_misfits_are_told_apart(raw: object, reason: str, near: str) -> None:
    with pytest.raises(Reject) as miss:
        parse_op(raw, 2)
    assert (miss.value.reason, miss.value.op) == (reason, 2)
    assert not near or miss.value.did_you_mean[0] == near


def test_an_unknown_op_without_a_near_name_lists_all() -> None:
    with pytest.raises(Reject) as miss:
        parse_op({"op": "zzz"}, 1)
    assert miss.value.did_you_mean == tuple(CATALOG)


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_examples_are_well_formed(name: str) -> None:
    for number, raw in enumerate(CATALOG[name].example, 1):
        assert parse_op(raw, number).op == raw["op"]
    assert name in [raw["op"] for raw in CATALOG[name].example]


def test_keywords_of_python_are_names_on_the_wire() -> None:
    args = describe(CATALOG["wrap_stmts"])["args"]
    assert isinstance(args, list)
    names = [arg["name"] for arg in args if isinstance(arg, dict)]
    assert {"from", "to", "with", "cond"} <= set(names)
    assert len(catalog_version()) == 12
