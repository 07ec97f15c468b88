"""The one refusal: an exception that carries data, and the registry of its reason codes.

Invariant: only a registered reason can be raised; it has one layer and one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from typing_extensions import TypeAliasType

# A named alias: pydantic can't follow an implicit one that names itself.
Json = TypeAliasType("Json", "str | int | float | bool | list[Json] | dict[str, Json] | None")


@dataclass(frozen=True)
class ReasonCode:
    """One registered cause of refusal: stable key, layer that raises it, a sentence for help."""

    key: str
    layer: str
    summary: str


_REGISTRY: dict[str, ReasonCode] = {}


def register(layer: str, reasons: Mapping[str, str]) -> None:
    """Register `reasons` (key -> sentence) for `layer`; a key given twice is a ValueError."""
    for key, summary in reasons.items():
        if key in _REGISTRY:
            raise ValueError(f"reason {key} is registered twice")
        _REGISTRY[key] = ReasonCode(key, layer, summary)


def registered_reasons() -> dict[str, ReasonCode]:
    """All registered reasons by key, sorted."""
    return dict(sorted(_REGISTRY.items()))


@dataclass(frozen=True)
class Finding:
    """A position with a message, as data; line and col are 1-based bytes, 0 = unknown."""

    file: str
    line: int
    col: int
    msg: str
    code: str = ""
    op: int | None = None
    """Number of the op of the patch that wrote what is there, when one did."""
    context: str = ""
    """The build context that it was found in, where that is not the workspace's own."""


@dataclass(frozen=True)
class Call:
    """A complete next call: tool name and its arguments, ready to send."""

    tool: str
    args: dict[str, Json]


@dataclass(frozen=True)
class Repair:
    """A call that would work, and why; `checked` says that a dry run of it was accepted."""

    why: str
    call: Call
    checked: bool = True


@dataclass(eq=False)
class Reject(Exception):
    """A refusal. Raised anywhere below the dispatcher, turned to data once, there."""

    reason: str
    detail: str = ""
    diagnostics: tuple[Finding, ...] = ()
    did_you_mean: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    op: int | None = None
    facts: dict[str, Json] = field(default_factory=dict)
    """What repair builders may need beyond the request (say, the missed part of an address)."""

    def __post_init__(self) -> None:
        if self.reason not in _REGISTRY:
            raise ValueError(f"reason {self.reason} is not registered")
        super().__init__(f"{self.reason}: {self.detail}")
