"""allow: the same call, accepting knowingly what it was refused for."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Json, Repair

_FLAGS = {
    "meaning_changed": ("allow_rebind", "accepts that the names listed mean something else"),
    "reference_captured": ("allow_rebind", "accepts that the names listed mean something else"),
    "generated_file": ("allow_generated", "edits the generated file all the same"),
}
_OPS: dict[str, tuple[dict[str, Json], str]] = {
    "used_as_value": ({"wrap_values": True}, "keeps the values' type with literals"),
    "argument_has_effects": (
        {"allow_effects": True},
        "accepts that the calls listed go, or change order",
    ),
    "folder_exists": ({"move_folder": False}, "renames the package where it is"),
    "holds_module": ({"move_folder": False}, "renames the package where it is"),
}
REASONS = (*_FLAGS, *_OPS)


def build(refused: Refused) -> Iterator[Repair]:
    """The call, or the op that was refused, with the flag set."""
    if refused.reject.reason in _OPS:
        args, why = _OPS[refused.reject.reason]
        yield unchecked(why, refused.with_op("", **args))
        return
    flag, why = _FLAGS[refused.reject.reason]
    if refused.tool != "undo":
        yield unchecked(why, refused.with_args(**{flag: True}))
