"""use_cached: the same call with a version that lies in the module cache."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair

REASONS = ("modules_offline",)


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each of the newest versions there."""
    versions = refused.reject.facts.get("versions")
    module = str((refused.op or {}).get("module") or "").partition("@")[0]
    for version in versions if isinstance(versions, list) else ():
        why = f"takes {version}, which is in the module cache"
        yield unchecked(why, refused.with_op(module=module, version=version))
