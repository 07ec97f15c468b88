"""Init order: initialisers that call or receive, and `init` functions, run in the order they did.

Invariant: a change of order refuses an edit that promises unchanged meaning; else it is reported.
"""

from __future__ import annotations

from ago.checker.checker import Change

_REPORTED = frozenset(
    {
        "boxed", "import", "comparable_lost", "method_gained", "method_lost", "method_narrowed",
        "method_widened", "satisfaction_lost",
    }
)  # fmt: skip


def is_order(change: Change) -> bool:
    """Whether initialisers or init functions of a package would run in another order."""
    return change.kind == "init_order"


def is_report(change: Change) -> bool:
    """Whether a change is told, never refused: imports come and go with the content of an edit, and
    a standard interface or comparability is gained or lost in plain sight."""
    return change.kind in _REPORTED
