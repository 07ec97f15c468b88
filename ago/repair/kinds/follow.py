"""follow: the same change, taking along what interfaces tie to it."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("method_set_split",)


def build(refused: Refused) -> Iterator[Repair]:
    """The op with `implementors` set."""
    yield unchecked("changes the whole set", refused.with_op(implementors=True))
