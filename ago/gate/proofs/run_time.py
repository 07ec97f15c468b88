"""Run time: methods that a type gains or loses and that type assertions ask for.

Invariant: told, never refused; what nobody asks for is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ago.checker.checker import Change
from ago.facts.read import AskedMethod
from ago.stages import DraftFile

_UNASKED = "_unasked"


def keep_asked(
    changes: Sequence[Change],
    asked: Callable[[], Sequence[AskedMethod]],
    files: Mapping[str, DraftFile],
) -> tuple[Change, ...]:
    """The changes, of method sets only those that the unit itself or an assertion in some other
    package of the workspace (`asked`) asks for; an interface that the edit changes comes along."""
    if not any(change.kind.endswith(_UNASKED) for change in changes):
        return tuple(changes)
    names = {method.name for method in asked() if not _is_edited(method, files)}
    return tuple(
        change._replace(kind=change.kind.removesuffix(_UNASKED))
        for change in changes
        if not change.kind.endswith(_UNASKED) or change.name in names
    )


def _is_edited(method: AskedMethod, files: Mapping[str, DraftFile]) -> bool:
    file = files.get(method.path)
    return file is not None and not any(
        start <= method.start and method.end <= start + length for start, _, length in file.pieces
    )
