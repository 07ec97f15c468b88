"""split_decls: a text of several declarations as one op for each."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Json, Repair
from grammar_ops.syntax.decls import split_file

REASONS = ("expected_one_decl",)


def build(refused: Refused) -> Iterator[Repair]:
    """The patch with the op once for each declaration of its text."""
    op, ops = refused.op, refused.all_ops()
    texts = split_file(str((op or {}).get("text") or ""))
    if op is None or len(texts) < 2:
        return
    number = (refused.reject.op or 1) - 1
    each: list[dict[str, Json]] = [{**ops[number], "text": text} for text in texts]
    why = f"declares them with {len(texts)} ops"
    yield unchecked(why, refused.as_patch([*ops[:number], *each, *ops[number + 1 :]]))
