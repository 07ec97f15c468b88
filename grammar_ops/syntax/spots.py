"""Spots: the place beside a declaration where moved ones are to stand.

Invariant: a declaration never lands in a group of another; it stands beside the whole group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax.landing import resolve_mate
from grammar_ops.syntax.parcels import Parcel

register("grammar", {"place_moves_too": "the declaration to stand beside is one of those that go"})


class Spot(NamedTuple):
    """Offset `at` of a file, at the end of a declaration or, `before`, at the start of one."""

    path: str
    at: int
    before: bool


def find_spot(
    scope: Scope, pkg: str, after: str, before: str, parcels: Sequence[Parcel]
) -> Spot | None:
    """The spot behind or before a declaration of `pkg`, None when neither is named; Reject."""
    if not (after or before):
        return None
    if after and before:
        raise Reject("several_places", f"after {after}, before {before}")
    mate = resolve_mate(scope, pkg, after or before)
    if any(p.path == mate.path and p.span.contains(mate.name_span) for p in parcels):
        raise Reject("place_moves_too", mate.sym)
    full = mate.group.full_span if mate.group else mate.full_span
    return Spot(mate.path, full.end if after else full.start, bool(before))
