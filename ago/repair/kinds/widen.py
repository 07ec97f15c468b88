"""widen: the same range of statements, up to the last one that it needs."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("used_outside",)


def build(refused: Refused) -> Iterator[Repair]:
    """The call with the range that holds every use of what it declares."""
    last = str(refused.reject.facts.get("to") or "")
    if last:
        yield unchecked(f"up to {last}, the last use", refused.with_op(to=last))
