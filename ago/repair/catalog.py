"""The repairs of a refusal: builders found by a walk of kinds/, tried before they are offered.

Invariant: at most three; a repair whose dry run is refused is never offered; one that there was no
time to try says so.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from ago.protocol.errors import AgoError
from ago.protocol.lenient import normalise_patch
from ago.protocol.requests import RUNS, WRITES
from ago.repair import kinds
from ago.repair.calls import LIMIT, Refused, mark_checked
from ago.repair.kinds import readdress
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Json, Reject, Repair

Builder = Callable[[Refused], Iterable[Repair]]
TryOut = Callable[[str, dict[str, Json]], dict[str, Json]]
"""Runs a read, or a mutation as a dry run; raises Reject when it would be refused."""

BUDGET_S = 0.1
"""How long trying repairs may take when nothing else was asked for."""
_OF_SHAPE = frozenset(
    {"unknown_tool", "unknown_op", "unknown_argument", "arg_not_in_schema", "malformed_op"}
)
_DOWNLOADS = frozenset({"dependencies_missing"})
"""Reasons whose repairs are not tried: they download, which nobody has asked for yet."""
_LOOKS = frozenset({"help", "search", "inspect", "view"})


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
    reject: Reject,
    tool: str,
    args: dict[str, Json],
    try_out: TryOut,
    budget_s: float = BUDGET_S,
) -> tuple[Repair, ...]:
    """Up to three repairs of a refused call, those that were tried and work first."""
    if reject.reason in _DOWNLOADS:
        return tuple(_proposed(reject, tool, args)[:LIMIT])
    found = _tried(_proposed(reject, tool, args), try_out, _chained(reject), budget_s)
    if found or reject.reason not in readdress.REASONS:
        return found
    refused = Refused(reject, tool, normal_args(tool, args))
    return _tried(readdress.fall_back(refused), try_out, 0, budget_s)


def _proposed(reject: Reject, tool: str, args: dict[str, Json]) -> list[Repair]:
    refused = Refused(reject, tool, normal_args(tool, args))
    proposed = list(reject.repairs)
    for builder in BUILDERS.get(reject.reason, ()):
        proposed += builder(refused)
    return proposed


def _chained(reject: Reject) -> int:
    """How often a call that was mended in its shape may be mended once more."""
    return 2 if reject.reason in _OF_SHAPE else 0


def normal_args(tool: str, args: dict[str, Json]) -> dict[str, Json]:
    """The arguments with a patch's ops as a list of objects, where they are ops at all."""
    if tool != "patch":
        return args
    try:
        return normalise_patch(args)[0]
    except Reject:
        return args


def _tried(
    proposed: Iterable[Repair], try_out: TryOut, chained: int, budget_s: float
) -> tuple[Repair, ...]:
    deadline = time.monotonic() + budget_s
    offered: list[Repair] = []
    todo = [(repair, chained) for repair in proposed]
    while todo and len(offered) < LIMIT:
        repair, more = todo.pop(0)
        if time.monotonic() > deadline or repair.call.tool in RUNS:
            # Nothing is run to see whether it could be.
            offered.append(repair)
            continue
        refused = _refusal(repair, try_out)
        if refused is None:
            offered.append(mark_checked(repair))
        elif isinstance(refused, Reject) and more:
            # Wrong in its shape and in what it says: both are mended at once.
            again = _proposed(refused, repair.call.tool, repair.call.args)
            said = (replace(r, why=f"{repair.why}; {r.why}") for r in again)
            todo = [(r, more - 1) for r in said if r.call.tool not in _LOOKS] + todo
    return tuple(offered)


def _refusal(repair: Repair, try_out: TryOut) -> Exception | None:
    """What a try of a repair is refused with, None when it works."""
    args = dict(repair.call.args)
    if repair.call.tool in WRITES or repair.call.tool in CATALOG:
        args["dry_run"] = True
    try:
        answer = try_out(repair.call.tool, args)
    except (Reject, AgoError) as refused:
        return refused
    # A search that finds nothing mends nothing.
    looks = repair.call.tool == "search" or repair.call.args.get("kind") == "text"
    found = not looks or answer.get("count")
    return None if found else AgoError("nothing_found", "")
