"""see_uses: what stands in the way of a removal, with all its places."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Call, Repair

REASONS = ("still_referenced", "field_still_referenced", "referenced_outside_workspace")


def build(refused: Refused) -> Iterator[Repair]:
    """The references of what the op speaks of."""
    pkg, sym = refused.address()
    if sym:
        yield unchecked(f"lists what refers to {sym}", Call("refs", {"pkg": pkg, "sym": sym}))
