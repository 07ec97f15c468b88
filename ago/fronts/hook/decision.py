"""What a hook answers: the decision as the JSON that Claude Code and Codex both take.

Invariant: an edit is denied or nothing is decided; it is never allowed in the user's name, since
that would skip the agent's own questions.
"""

from __future__ import annotations

from collections.abc import Sequence

from ago.checker.checker import Diagnostic
from ago.patch.propose import Proposed
from grammar_ops.reject import Json

_SHOWN = 8
"""Diagnostics that an answer names."""

_EVENT = "PreToolUse"
_IMPORTS = "An import is missing: give it in the same edit"
_FIRST = ", or in one before it: an import that nothing uses yet is let through"


def decide(proposed: Proposed, *, strict: bool = False) -> dict[str, Json]:
    """The answer to a proposed edit, empty for one that nothing is to be said of."""
    new = (*proposed.inside, *proposed.elsewhere)
    if proposed.broken:
        return _deny(_listed("ago: the edited file would not parse", proposed.broken))
    if proposed.fewer:
        said = "ago: fewer errors than before; what the edit brings"
        return _context(said, new) if new else {}
    if proposed.inside:
        reason = _listed("ago: the edited declarations would not compile", proposed.inside)
        if proposed.unimported:
            reason += f"\n{_IMPORTS}{'' if strict else _FIRST}."
        return _deny(reason)
    if proposed.elsewhere:
        if strict:
            return _deny(_listed("ago: other code would not compile", proposed.elsewhere))
        said = "ago: the edit is let through; until it is followed up, this does not compile"
        return _context(said, proposed.elsewhere)
    return {}


def passed(why: str) -> dict[str, Json]:
    """The answer where nothing could be judged: the edit goes on, and the user is told."""
    return {"systemMessage": f"ago: the edit was not judged: {why}"}


def _deny(reason: str) -> dict[str, Json]:
    return _answer({"permissionDecision": "deny", "permissionDecisionReason": reason})


def _context(said: str, found: Sequence[Diagnostic]) -> dict[str, Json]:
    return _answer({"additionalContext": _listed(said, found)})


def _answer(decision: dict[str, Json]) -> dict[str, Json]:
    return {"hookSpecificOutput": {"hookEventName": _EVENT, **decision}}


def _listed(said: str, found: Sequence[Diagnostic]) -> str:
    lines = [f"{d.file}:{d.line}:{d.col}: {d.msg}" for d in found[:_SHOWN]]
    left = len(found) - len(lines)
    return "\n".join([f"{said}:", *lines, *([f"and {left} more"] if left else [])])
