"""change_signature: a body that came with another signature is a change of both."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Op, Refused, unchecked
from grammar_ops.reject import Call, Repair

REASONS = ("signature_changed",)


def build(refused: Refused) -> Iterator[Repair]:
    """The body and its set_signature in one patch; else the upsert_decl of the whole function."""
    facts = refused.reject.facts
    pkg, sym = str(facts.get("pkg") or ""), str(facts.get("sym") or "")
    text, head, body = (str(facts.get(key) or "") for key in ("text", "signature", "body"))
    if not text:
        return
    why = "gives the function its new signature, its calls what they need, and the body"
    ops: list[Op] = [
        {"op": "set_body", "pkg": pkg, "sym": sym, "body": body},
        {"op": "set_signature", "pkg": pkg, "sym": sym, "signature": head},
    ]
    yield unchecked(why, refused.as_ops(*ops))
    why = "replaces the function with its new signature"
    op: Op = {"op": "upsert_decl", "pkg": pkg, "text": text}
    if refused.tool == "patch":
        yield unchecked(why, refused.as_ops(op))
    else:
        yield unchecked(why, Call("upsert_decl", {"pkg": pkg, "text": text}))
