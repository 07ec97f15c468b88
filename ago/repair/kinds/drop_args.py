"""drop_args: the same call without the arguments that another one rules out."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = (
    "cond_range_exclusive",
    "default_exprs_exclusive",
    "tag_type_switch_exclusive",
    "cond_not_allowed",
    "sym_and_syms",
)


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each set of arguments that the refusal says could go."""
    op, sets = refused.op, refused.reject.facts.get("drop")
    if op is None or not isinstance(sets, list):
        return
    for names in sets:
        dropped = [str(name) for name in names if name in op] if isinstance(names, list) else []
        if dropped:
            kept = {key: value for key, value in op.items() if key not in dropped}
            yield unchecked(f"without {', '.join(dropped)}", refused.as_ops(kept))
