"""Run time: methods that a type gains or loses and that type assertions ask for.

Invariant: told, never refused; what nobody asks for is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ago.checker.checker import Change

_UNASKED = "_unasked"


def keep_asked(
    changes: Sequence[Change], asked: Callable[[], Collection[str]]
) -> tuple[Change, ...]:
    """The changes, of method sets only those that the unit itself or an assertion in some other
    package of the workspace (`asked`: the names) asks for."""
    if not any(change.kind.endswith(_UNASKED) for change in changes):
        return tuple(changes)
    names = asked()
    return tuple(
        change._replace(kind=change.kind.removesuffix(_UNASKED))
        for change in changes
        if not change.kind.endswith(_UNASKED) or change.name in names
    )
