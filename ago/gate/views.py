"""Views: the same candidate in the builds of other modules that see the edited files.

Invariant: what breaks in a view refuses the edit like anything else; a view that could not judge is
named in `unproven`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ago.checker.checker import Change, Checker, CheckResult, UnitVerdict
from ago.checker.process import CheckerCrashed
from ago.protocol.errors import AgoError, Bug


@dataclass(frozen=True)
class ViewChecker:
    """One view that an edit concerns: who judges there, or why nobody can."""

    folder: str
    module: str
    resident: Checker | None
    toolchain: Checker
    why_not: str = ""


def judge_views(
    result: CheckResult,
    views: Iterable[ViewChecker],
    ask: Callable[[Checker], CheckResult],
    *,
    reference: bool,
) -> CheckResult:
    """The word of the root's build with what the views say beside it; `reference`: units are judged
    by the go command."""
    for view in views:
        if view.resident is None:
            result = _without(result, view.folder, view.why_not)
            continue
        try:
            beside = ask(view.resident)
            if reference or not beside.judged:
                beside = replace(beside, units=_own(ask(view.toolchain), view.module))
        except CheckerCrashed:
            raise
        except (AgoError, Bug) as error:
            result = _without(result, view.folder, str(error))
            continue
        result = _joined(result, beside, view.folder)
    return result


def _own(result: CheckResult, module: str) -> tuple[UnitVerdict, ...]:
    """The units of a view's own packages: what it takes from elsewhere is judged at home."""
    units = result.units
    return tuple(u for u in units if u.key.pkg == module or u.key.pkg.startswith(f"{module}/"))


def _joined(result: CheckResult, beside: CheckResult, folder: str) -> CheckResult:
    told = {_name(change) for change in result.changes}
    unproven = (*beside.unproven, *(f"meaning in {what}" for what in beside.tainted))
    return replace(
        result,
        units=(*result.units, *beside.units),
        changes=(*result.changes, *(c for c in beside.changes if _name(c) not in told)),
        left=tuple(path for path in result.left if path in beside.left),
        unproven=(*result.unproven, *(f"module in {folder}: {what}" for what in unproven)),
    )


def _without(result: CheckResult, folder: str, why: str) -> CheckResult:
    said = f"the module in {folder} is not checked: {why}"
    return replace(result, unproven=(*result.unproven, said))


def _name(change: Change) -> tuple[str, str, int, str, str]:
    return change.kind, change.file, change.base_offset, change.old, change.new
