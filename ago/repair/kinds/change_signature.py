"""change_signature: a body that came with another signature is a whole declaration."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Op, Refused, unchecked
from grammar_ops.reject import Call, Repair

REASONS = ("signature_changed",)


def build(refused: Refused) -> Iterator[Repair]:
    """The upsert_decl of the function as it was sent."""
    pkg, _ = refused.address()
    text = str(refused.reject.facts.get("text") or "")
    if text and refused.tool != "patch":
        call = Call("upsert_decl", {"pkg": pkg, "text": text})
        yield unchecked("replaces the function with its new signature", call)
    elif text:
        op: Op = {"op": "upsert_decl", "pkg": pkg, "text": text}
        yield unchecked("replaces the function with its new signature", refused.as_op(op))
