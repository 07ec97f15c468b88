"""choose_local: the same rename, of one of the places that the name may mean."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("ambiguous_local",)


def build(refused: Refused) -> Iterator[Repair]:
    """The op with each position as its address."""
    for place in refused.reject.did_you_mean[:LIMIT]:
        yield unchecked(f"renames the one at {place}", refused.with_op("local", sym=place))
