"""review: look at the declaration again, since its handles or text are not what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ago.patch.handles import named_handles
from ago.repair.calls import Op, Refused, addressed, unchecked, view_call
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Json, Repair

REASONS = (
    "stale_generation",
    "unknown_handle",
    "unknown_ref",
    "handle_owns_no_block",
    "not_in_statement_list",
    "handles_only_in_functions",
    "not_a_function",
    "not_a_variable",
    "add_case_wrong_node",
)


def build(refused: Refused) -> Iterator[Repair]:
    """The same call at the place that may be meant, then the view of what the op speaks of."""
    yield from _elsewhere(refused)
    facts = refused.reject.facts
    pkg, sym = refused.address()
    pkg, sym = str(facts.get("pkg") or pkg), str(facts.get("sym") or sym)
    if sym and refused.tool == "query":
        yield unchecked(f"lists what refers to {sym}", Call("refs", addressed(pkg, sym)))
    elif sym:
        yield unchecked("shows the statements and their handles as they are", view_call(pkg, sym))
    if refused.reject.reason == "stale_generation":
        yield from _brought_up(refused)


def _brought_up(refused: Refused) -> Iterator[Repair]:
    """The call on the declaration of today: the handles as they are called now."""
    facts, op = refused.reject.facts, refused.op or {}
    generation, handles = facts.get("generation"), facts.get("handles")
    names = handles if isinstance(handles, dict) else {}
    named = named_handles(op)
    if any(handle not in names for handle in named.values()):
        return
    why = "the same on the declaration as it is now" + "".join(
        f", {handle} is {names[handle]}" for handle in dict.fromkeys(named.values())
    )
    if op.get("generation"):
        changes = {**_renamed(op, names), "generation": generation}
        yield unchecked(why, refused.with_op("", **changes))
        return
    ops: list[Json] = []
    for one in refused.all_ops():
        is_of_it = not one.get("generation") and one.get("sym") in (None, "", op.get("sym"))
        ops.append({**one, **_renamed(one, names)} if is_of_it else one)
    if refused.tool in CATALOG:
        yield unchecked(why, refused.with_args(**_renamed(op, names), generation=generation))
    else:
        yield unchecked(why, refused.with_args(ops=ops, generation=generation))


def _renamed(op: Op, names: Mapping[str, Json]) -> Op:
    """The arguments of an op that name a handle, with its name of today."""
    return {
        argument: f"{names[handle]}{str(op[argument])[len(handle) :]}"
        for argument, handle in named_handles(op).items()
        if handle in names
    }


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
