"""choose_module: the same call with the module said whose go.mod is meant."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("several_modules",)


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each module."""
    for module in refused.reject.did_you_mean:
        yield unchecked(f"changes the go.mod of {module}", refused.with_op(pkg=module))
