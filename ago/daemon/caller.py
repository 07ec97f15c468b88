"""Callers: who asks, who is told how far the work is, and what is answered.

Invariant: light; the daemon has it before it has a catalog.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from ago.daemon.progress import Listener
from grammar_ops.reject import Json


def _nobody(phase: str, done: int, total: int) -> None:
    """Where nobody wants to know how far the work is."""


@dataclass(frozen=True)
class Caller:
    """Who asks: its environment, the event that says it is gone, the key of its request.

    `again` says that the request may have been served before its answer was lost; `hear` is told
    how far the work is, from any thread.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    gone: threading.Event = field(default_factory=threading.Event)
    key: str = ""
    again: bool = False
    hear: Listener = _nobody

    @property
    def wants_repairs(self) -> bool:
        """AGO_NO_REPAIRS leaves repairs and escalation out, to measure what they are worth."""
        return not self.env.get("AGO_NO_REPAIRS")


@dataclass(frozen=True)
class Answer:
    """A response, and the exit code of a command that asked for it."""

    body: dict[str, Json]
    exit_code: int
