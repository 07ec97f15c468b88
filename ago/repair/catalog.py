"""The repairs of a refusal: builders found by a walk of kinds/, tried before they are offered.

Invariant: at most three; a repair whose dry run is refused is never offered; one that there was no
time to try says so.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterable

from ago.protocol.errors import AgoError
from ago.protocol.lenient import normalise_patch
from ago.protocol.requests import WRITES
from ago.repair import kinds
from ago.repair.calls import LIMIT, Refused, mark_checked
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Json, Reject, Repair

Builder = Callable[[Refused], Iterable[Repair]]
TryOut = Callable[[str, dict[str, Json]], dict[str, Json]]
"""Runs a read, or a mutation as a dry run; raises Reject when it would be refused."""

_BUDGET_S = 0.1


def _walk() -> dict[str, tuple[Builder, ...]]:
    found: dict[str, tuple[Builder, ...]] = {}
    for info in pkgutil.iter_modules(kinds.__path__, f"{kinds.__name__}."):
        module = importlib.import_module(info.name)
        for reason in module.REASONS:
            found[reason] = (*found.get(reason, ()), module.build)
    return found


BUILDERS: dict[str, tuple[Builder, ...]] = _walk()
"""Reason -> the builders that may mend it."""


def build_repairs(
    reject: Reject, tool: str, args: dict[str, Json], try_out: TryOut
) -> tuple[Repair, ...]:
    """Up to three repairs of a refused call, those that were tried and work first."""
    refused = Refused(reject, tool, _normal(tool, args))
    proposed = list(reject.repairs)
    for builder in BUILDERS.get(reject.reason, ()):
        proposed += builder(refused)
    return _tried(proposed, try_out)


def _normal(tool: str, args: dict[str, Json]) -> dict[str, Json]:
    if tool != "patch":
        return args
    try:
        return normalise_patch(args)[0]
    except Reject:
        return args


def _tried(proposed: Iterable[Repair], try_out: TryOut) -> tuple[Repair, ...]:
    deadline = time.monotonic() + _BUDGET_S
    offered: list[Repair] = []
    for repair in proposed:
        if len(offered) == LIMIT:
            break
        if time.monotonic() > deadline:
            offered.append(repair)
        elif _works(repair, try_out):
            offered.append(mark_checked(repair))
    return tuple(offered)


def _works(repair: Repair, try_out: TryOut) -> bool:
    args = dict(repair.call.args)
    if repair.call.tool in WRITES or repair.call.tool in CATALOG:
        args["dry_run"] = True
    try:
        answer = try_out(repair.call.tool, args)
    except (Reject, AgoError):
        return False
    # A search that finds nothing mends nothing.
    return repair.call.tool != "search" or bool(answer.get("count"))
