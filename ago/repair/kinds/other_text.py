"""other_text: the same edit by text, bound to one place or brought up to what stands there."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked, view_call
from grammar_ops.reject import Repair

REASONS = ("text_found_several", "text_not_found", "hunk_does_not_fit")


def build(refused: Refused) -> Iterator[Repair]:
    """The call with each text that would fit, then the place in the file that is most like it."""
    offers = refused.reject.facts.get("texts")
    for offer in offers if isinstance(offers, list) else []:
        assert isinstance(offer, list)
        why, text = offer
        yield unchecked(str(why), refused.with_op(text=text))
    at = refused.reject.diagnostics[0]
    if at.file.endswith(".go") and refused.reject.reason != "text_found_several":
        yield unchecked("shows what stands there now", view_call("", f"{at.file}:{at.line}"))
        yield unchecked(f"shows what {at.file} declares", view_call("", at.file))
