"""allow: the same call, accepting knowingly what it was refused for."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

_FLAGS = {
    "meaning_changed": ("allow_rebind", "accepts that the names listed mean something else"),
    "reference_captured": ("allow_rebind", "accepts that the names listed mean something else"),
    "generated_file": ("allow_generated", "edits the generated file all the same"),
}
REASONS = (*_FLAGS, "argument_has_effects", "used_as_value")


def build(refused: Refused) -> Iterator[Repair]:
    """The call, or the op that was refused, with the flag set."""
    if refused.reject.reason == "used_as_value":
        yield unchecked("keeps the values' type with literals", refused.with_op(wrap_values=True))
        return
    if refused.reject.reason == "argument_has_effects":
        why = "accepts that the calls listed go, or change order"
        yield unchecked(why, refused.with_op(allow_effects=True))
        return
    flag, why = _FLAGS[refused.reject.reason]
    if refused.tool != "undo":
        yield unchecked(why, refused.with_args(**{flag: True}))
