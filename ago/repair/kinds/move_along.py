"""move_along: a move that takes along, exports or makes what it was refused for."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Json, Repair

REASONS = (
    "depends_on_local_symbols",
    "unexported_used_elsewhere",
    "target_pkg_not_found",
    "spec_multi_name",
    "spec_inherits_value",
    "spec_uses_iota",
)
_WIDER: tuple[tuple[dict[str, Json], str], ...] = (
    ({"with_helpers": True}, "moves what only it uses, too"),
    ({"export": True}, "exports the names that would be out of reach"),
    ({"with_helpers": True, "export": True}, "moves what only it uses, exports the rest"),
)


def build(refused: Refused) -> Iterator[Repair]:
    """The call with one more thing allowed, or for the whole group."""
    op = refused.op
    if op is None or op.get("op") not in ("move_decl", "move_file"):
        return
    facts = refused.reject.facts
    together = facts.get("together")
    if isinstance(together, list):
        asked = op.get("syms") or [op.get("sym") or refused.args.get("sym") or ""]
        rest = [sym for sym in asked if sym not in together] if isinstance(asked, list) else []
        names = [*rest, *together]
        yield unchecked("moves them together", refused.with_op(drop="sym", syms=names))
        if op["op"] == "move_decl" and refused.reject.reason != "spec_multi_name":
            yield unchecked("writes the values out", refused.with_op(drop="", explicit_values=True))
    elif refused.reject.reason == "target_pkg_not_found":
        if facts.get("create_pkg"):
            yield unchecked("makes the package", refused.with_op(create_pkg=True))
        for near in refused.reject.did_you_mean:
            yield unchecked(f"{near} is a package", refused.with_op(to_pkg=near))
    else:
        helpers = op["op"] == "move_decl" and refused.reject.reason == "depends_on_local_symbols"
        tried = [refused.with_op()]
        for flags, why in _WIDER:
            call = refused.with_op("", **flags)
            if call not in tried and (helpers or "with_helpers" not in flags):
                tried.append(call)
                yield unchecked(why, call)
