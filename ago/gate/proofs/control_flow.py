"""Control flow: statements outside the edit keep their targets.

Invariant: a moved target is refused for every op; only allow_rebind lets it pass.
"""

from __future__ import annotations

from ago.checker.checker import Change


def is_moved_target(change: Change) -> bool:
    """Whether a surviving jump, defer or return got another target."""
    return change.kind == "control"
