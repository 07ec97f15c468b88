"""free_name: the same call with a name that is free, or that go test runs."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("test_exists", "bad_test_name")


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each near name."""
    for near in refused.reject.did_you_mean[:LIMIT]:
        yield unchecked(f"{near} can be had", refused.with_op(name=near))
