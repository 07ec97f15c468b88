"""review: look at the declaration again, since its handles or text are not what was expected."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked, view_call
from grammar_ops.reject import Repair

REASONS = (
    "stale_generation",
    "unknown_handle",
    "unknown_ref",
    "handle_owns_no_block",
    "not_in_statement_list",
    "handles_only_in_functions",
    "not_a_function",
    "add_case_wrong_node",
)


def build(refused: Refused) -> Iterator[Repair]:
    """The same call at the place that may be meant, then the view of what the op speaks of."""
    yield from _elsewhere(refused)
    facts = refused.reject.facts
    pkg, sym = refused.address()
    pkg, sym = str(facts.get("pkg") or pkg), str(facts.get("sym") or sym)
    if sym:
        yield unchecked("shows the statements and their handles as they are", view_call(pkg, sym))


_BESIDE = {"first": "after", "last": "after"}
_INSIDE = {"before": "first", "after": "last"}


def _elsewhere(refused: Refused) -> Iterator[Repair]:
    """Beside a node that has no block, inside of one that is no statement, at what an op made."""
    op, reason = refused.op or {}, refused.reject.reason
    where, at = str(op.get("where") or ""), str(op.get("at") or "")
    if reason == "handle_owns_no_block" and where in _BESIDE:
        place = _BESIDE[where]
        yield unchecked(f"{place} {at}, which holds no statements", refused.with_op(where=place))
    if reason == "not_in_statement_list" and where in _INSIDE:
        place = _INSIDE[where]
        yield unchecked(f"{place} in {at}, which stands in no list", refused.with_op(where=place))
    if reason == "unknown_ref" and at.startswith("$"):
        for number in range((refused.reject.op or 1) - 1, 0, -1):
            rest = at.lstrip("$0123456789")
            yield unchecked(
                f"${number} is what op {number} made", refused.with_op(at=f"${number}{rest}")
            )
