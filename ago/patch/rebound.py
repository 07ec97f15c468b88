"""References of the base that mean another object in the draft: a new declaration took them over.

Invariant: only what the checker positively calls another object is dropped; what it can't resolve
in a half-made draft still counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from grammar_ops.reject import Json
from grammar_ops.scope import Ref

Ask = Callable[[Sequence[dict[str, Json]]], Sequence[dict[str, Json]]]


def drop_rebound(
    standing: Sequence[Ref], drafted: Iterable[Ref], pkg: str, sym: str, ask: Ask
) -> list[Ref]:
    """The references without those that the draft takes for another object than `pkg.sym`."""
    known = {(ref.path, ref.span.start) for ref in drafted}
    doubtful = [
        ref
        for ref in standing
        if ref.span.start < ref.span.end and (ref.path, ref.span.start) not in known
    ]
    if not doubtful:
        return list(standing)
    answers = ask(
        [{"kind": "object_at", "file": ref.path, "offset": ref.span.start} for ref in doubtful]
    )
    rebound = {
        ref
        for ref, answer in zip(doubtful, answers, strict=True)
        if answer.get("sym") and (answer.get("pkg"), answer.get("sym")) != (pkg, sym)
    }
    return [ref for ref in standing if ref not in rebound]
