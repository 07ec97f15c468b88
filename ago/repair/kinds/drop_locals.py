"""drop_locals: the same call, with the locals gone that only an argument which goes used."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("patch_does_not_typecheck",)
_OPS = ("remove_param", "set_signature")


def build(refused: Refused) -> Iterator[Repair]:
    """The call with `orphans`, where variables without a use are all that the compiler names."""
    op = refused.op
    codes = {finding.code for finding in refused.reject.diagnostics}
    if op is not None and op.get("op") in _OPS and codes == {"UnusedVar"}:
        why = "deletes the locals that only the arguments which go used"
        yield unchecked(why, refused.with_op("", orphans=True))
