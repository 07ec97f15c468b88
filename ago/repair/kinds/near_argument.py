"""near_argument: the same call with one argument as it could be: a free name, a case, a table."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, unchecked
from grammar_ops.reject import Repair

_ARGUMENTS = {
    "test_exists": ("name", "is free"),
    "bad_test_name": ("name", "is run by go test"),
    "test_case_not_found": ("case", "is a case of the table"),
    "several_test_tables": ("table", "is one of the tables"),
}
REASONS = tuple(_ARGUMENTS)


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each near value."""
    argument, why = _ARGUMENTS[refused.reject.reason]
    for near in refused.reject.did_you_mean[:LIMIT]:
        yield unchecked(f"{near} {why}", refused.with_op(**{argument: near}))
