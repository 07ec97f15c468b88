"""review: look at the declaration again, since its handles or text are not what was expected."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked, view_call
from grammar_ops.reject import Repair

REASONS = ("stale_generation", "unknown_handle", "unknown_ref", "handle_owns_no_block")


def build(refused: Refused) -> Iterator[Repair]:
    """The view of the function that the refused op speaks of."""
    facts = refused.reject.facts
    pkg, sym = refused.address()
    pkg, sym = str(facts.get("pkg") or pkg), str(facts.get("sym") or sym)
    if sym:
        yield unchecked("shows the statements and their handles as they are", view_call(pkg, sym))
