"""Baseline: which diagnostics are new, which an edit merely revealed, which stood before.

Invariant: compared by file, position mapped through the edit, code and count; never by text alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ago.checker.checker import Diagnostic, Pieces, UnitVerdict
from ago.checker.diagnostics import map_offset

Spans = Mapping[str, tuple[tuple[int, int], ...]]
_REWRITTEN = -2


class Sorted(NamedTuple):
    """A check's diagnostics, told apart and each named once over all variants."""

    new: tuple[Diagnostic, ...]
    revealed: tuple[Diagnostic, ...]
    pre_existing: int
    base: int = 0
    """How many there were before the edit."""


def subtract(
    units: Sequence[UnitVerdict],
    pieces: Mapping[str, Pieces],
    written: Spans,
    moved: Mapping[tuple[str, str], Pieces] | None = None,
) -> Sorted:
    """Sort the diagnostics of all units; `pieces` maps base to candidate for the edited files,
    `moved` from one file to another, `written` gives the ranges that the edit wrote."""
    arrived = _arrived(units, moved or {})
    new: dict[object, Diagnostic] = {}
    revealed: dict[object, Diagnostic] = {}
    standing: set[object] = set()
    base: set[object] = set()
    for unit in units:
        known = Counter(_base_key(diagnostic, pieces) for diagnostic in unit.base) + arrived
        base.update((d.file, d.line, d.col, d.code) for d in unit.base)
        for diagnostic in unit.diagnostics:
            place = (diagnostic.file, diagnostic.line, diagnostic.col, diagnostic.code)
            if _take(known, diagnostic, written):
                standing.add(place)
            elif diagnostic.revealed and not _is_inside(diagnostic, written):
                revealed[place] = diagnostic
            else:
                new[place] = diagnostic
    return Sorted(tuple(new.values()), tuple(revealed.values()), len(standing), len(base))


def _arrived(
    units: Sequence[UnitVerdict], moved: Mapping[tuple[str, str], Pieces]
) -> Counter[object]:
    """The diagnostics that stood in text which is in another file now, each once."""
    keys = {
        (path, at, diagnostic.code)
        for (source, path), pieces in moved.items()
        for diagnostic in (d for unit in units for d in unit.base if d.file == source)
        if (at := map_offset(pieces, diagnostic.offset)) is not None and at >= 0
    }
    return Counter(keys)


def _take(known: Counter[object], diagnostic: Diagnostic, written: Spans) -> bool:
    """Whether the diagnostic stood before; uses up one of its kind."""
    keys: list[object] = [(diagnostic.file, diagnostic.offset, diagnostic.code)]
    if diagnostic.offset < 0 or _is_inside(diagnostic, written):
        # Its place was rewritten, and the new text repeats the same complaint.
        keys.append((diagnostic.file, _REWRITTEN, diagnostic.code, diagnostic.msg))
    for key in keys:
        if known[key] > 0:
            known[key] -= 1
            return True
    return False


def _base_key(diagnostic: Diagnostic, pieces: Mapping[str, Pieces]) -> object:
    offset: int | None = diagnostic.offset
    if diagnostic.file in pieces and diagnostic.offset >= 0:
        offset = map_offset(pieces[diagnostic.file], diagnostic.offset)
    if offset is None or offset < 0:
        return (diagnostic.file, _REWRITTEN, diagnostic.code, diagnostic.msg)
    return (diagnostic.file, offset, diagnostic.code)


def _is_inside(diagnostic: Diagnostic, written: Spans) -> bool:
    return any(
        start <= diagnostic.offset < max(end, start + 1)
        for start, end in written.get(diagnostic.file, ())
    )
