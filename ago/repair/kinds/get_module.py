"""get_module: the same call behind an op that gets the modules which it needs."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Op, Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("dependencies_missing",)


def build(refused: Refused) -> Iterator[Repair]:
    """One repair with an add_dependency for each module, at the version that go.mod says."""
    modules = refused.reject.facts.get("modules")
    pairs = (
        [pair for pair in modules if isinstance(pair, list)] if isinstance(modules, list) else []
    )
    gets: list[Op] = [
        {"op": "add_dependency", "module": str(module), **({"version": str(v)} if v else {})}
        for module, v in pairs
    ]
    if gets and refused.all_ops():
        names = ", ".join(str(get["module"]) for get in gets)
        yield unchecked(f"downloads {names} first", refused.as_patch([*gets, *refused.all_ops()]))
