"""Repairs on the wire: a reason and a complete next call.

Invariant: a call is whole: sending it as it stands executes.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from grammar_ops.reject import Json
from grammar_ops.reject import Repair as PlannedRepair


class CallModel(BaseModel):
    """A tool and its arguments, ready to send."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    tool: str
    args: dict[str, Json]


class RepairModel(BaseModel):
    """A call that would work, and why; `checked` is false when no dry run of it was made."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    why: str
    call: CallModel
    checked: bool = True


def repair_model(repair: PlannedRepair) -> RepairModel:
    """A repair as the wire has it."""
    call = CallModel(tool=repair.call.tool, args=repair.call.args)
    return RepairModel(why=repair.why, call=call, checked=repair.checked)
