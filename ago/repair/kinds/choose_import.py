"""choose_import: the same call, once for each package that a missing name may mean."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, unchecked
from grammar_ops.reject import Json, Repair

REASONS = ("ambiguous_import",)


def build(refused: Refused) -> Iterator[Repair]:
    """The call that names the package to import."""
    given = refused.args.get("prefer_imports")
    known: list[Json] = list(given) if isinstance(given, list) else []
    for path in refused.reject.did_you_mean[:LIMIT]:
        yield unchecked(f"imports {path}", refused.with_args(prefer_imports=[*known, path]))
