"""plain_assign: `=` for a `:=` whose left side has what is no variable."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("lhs_not_identifier",)


def build(refused: Refused) -> Iterator[Repair]:
    """The same assignment without `define`."""
    yield unchecked("assigns with =", refused.with_op(drop="define"))
