"""with_contents: the same call, deleting what the node holds as well."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("block_not_empty",)


def build(refused: Refused) -> Iterator[Repair]:
    """The call with `recursive` set."""
    yield unchecked("deletes what the node holds, too", refused.with_op(recursive=True))
