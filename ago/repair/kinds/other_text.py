"""other_text: the same edit by text, bound to one place or brought up to what stands there."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked, view_call
from grammar_ops.reject import Repair

REASONS = ("text_found_several", "text_not_found", "hunk_does_not_fit")


def build(refused: Refused) -> Iterator[Repair]:
    """The call with each text that would fit, else the place in the file that is most like it."""
    offers = refused.reject.facts.get("texts")
    for offer in offers if isinstance(offers, list) else []:
        assert isinstance(offer, list)
        why, text = offer
        yield unchecked(str(why), refused.with_op(text=text))
    if not offers and refused.reject.diagnostics:
        path = refused.reject.diagnostics[0].file
        if path.endswith(".go"):
            yield unchecked(f"shows what {path} declares", view_call("", path))
