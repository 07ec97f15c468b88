"""What a workspace is told of an edit that was written, and tells to who follows it.

Invariant: data alone; a receipt is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Committed(Protocol):
    """What the workspace needs of a receipt, and passes on."""

    @property
    def edit(self) -> int:
        """Its number in the history."""

    @property
    def token(self) -> str:
        """Token to advance the resident checker with, "" when another checker judged."""

    @property
    def renames(self) -> Sequence[tuple[str, str, str]]:
        """What it calls otherwise: (pkg, sym, name)."""

    @property
    def moves(self) -> Sequence[tuple[str, str, str]]:
        """What it takes to another package: (pkg, sym, package)."""
