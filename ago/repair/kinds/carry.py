"""carry: the same signature, with a parameter that seemed new as a new name of an old one."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Json, Repair

REASONS = ("new_param_needs_default",)


def build(refused: Refused) -> Iterator[Repair]:
    """The op with `renames` for the parameters that stand where one of their type stood."""
    found = refused.reject.facts.get("may_be")
    renames = (refused.op or {}).get("renames") or []
    if isinstance(found, list) and found and isinstance(renames, list):
        names: list[Json] = [*renames, *found]
        why = f"keeps the arguments: {', '.join(str(pair) for pair in found)}"
        yield unchecked(why, refused.with_op(renames=names))
