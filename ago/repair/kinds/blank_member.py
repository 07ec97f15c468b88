"""blank_member: a constant that others count by becomes `_` instead of going."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Json, Repair

REASONS = ("spec_uses_iota", "spec_inherits_value")


def build(refused: Refused) -> Iterator[Repair]:
    """A blank constant in its place: the values of the others stay (Go spec, Iota)."""
    op, text = refused.op, refused.reject.facts.get("blank")
    if op is None or op.get("op") != "delete_decl" or not text:
        return
    pkg, sym = refused.address()
    blank: dict[str, Json] = {"op": "upsert_decl", "pkg": pkg, "sym": sym, "text": text}
    yield unchecked("leaves _ in its place", refused.as_ops(blank))
