"""A step: one difference of a commit, and the ops that may express it, the finest first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Op = dict[str, Any]
GONE_FILE = 7
"""The rank of a step that deletes a file."""


class Inexpressible(Exception):
    """A difference that no op can say; the argument names its class."""


@dataclass
class Step:
    """One difference: where it is, and its ways, each a list of ops."""

    path: str
    key: str
    ways: list[list[Op]]
    rank: int = 5
    """Steps are sent in the order of their ranks, then as they stand."""
    way: int = 0
    lowered: list[tuple[str, str]] = field(default_factory=list)
    """(op, why) for each way that was given up."""

    @property
    def ops(self) -> list[Op]:
        """The ops of the way that is taken."""
        return self.ways[self.way]

    def lower(self, why: str) -> bool:
        """Take the next way; False when there is none."""
        if self.way + 1 >= len(self.ways):
            return False
        name = self.ops[0]["op"] if self.ops else "import repair"
        self.lowered.append((name, why))
        self.way += 1
        return True
