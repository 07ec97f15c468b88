"""Responses: one closed model per outcome, and the one way they become wire dictionaries.

Invariant: a field that says nothing (empty, zero, None) is not sent; keys are stable.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ago.protocol.errors import AgoError
from ago.protocol.repairs import RepairModel, repair_model
from grammar_ops.reject import Finding, Json, Reject, Repair


class Response(BaseModel):
    """Base of every response."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def wire(self) -> dict[str, Json]:
        """The response as it is sent: without what says nothing."""
        data = self.model_dump(mode="json")
        notes = data.pop("notes", {})
        return {"status": data["status"], **_drop_empty(data), **_drop_empty(notes)}


class DiagnosticModel(BaseModel):
    """A position and what was found there."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    pos: str
    msg: str
    code: str = ""
    op: int | None = None
    context: str = ""
    """The build contexts that it was found in, where the workspace's own is none of them."""


class ImportsModel(BaseModel):
    """Imports that the edit added and removed, as `file: path`."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    added: list[str] = Field(default_factory=list)
    removed: list[str] = Field(default_factory=list)


class ProofModel(BaseModel):
    """What was proved of an edit, and by whom."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    checker: str
    contexts: list[str]
    packages: int
    references: int = 0
    confirmation: str
    unproven: list[str] = Field(default_factory=list)


class ViewModel(BaseModel):
    """A declaration's text with handles, and the generation they belong to."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    text: str
    nodes: int = 0
    generation: int = 0


class TextEdit(BaseModel):
    """Replace the bytes [start, end) of the buffer by `text`."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    start: int
    end: int
    text: str


class Judged(Response):
    """What accepted edits and dry runs have in common."""

    symbol: str = ""
    files: list[str] = Field(default_factory=list)
    diff_stat: dict[str, int] = Field(default_factory=dict)
    imports: ImportsModel | None = None
    formatted: list[str] = Field(default_factory=list)
    """Where formatting made other bytes than the ones that were given, as `file:line`."""
    generated: list[str] = Field(default_factory=list)
    """Generated files that the edit had to touch."""
    normalised: list[str] = Field(default_factory=list)
    resolved: str = ""
    handles_moved: dict[str, str] = Field(default_factory=dict)
    proof: ProofModel | None = None
    rebinds: list[DiagnosticModel] = Field(default_factory=list)
    revealed: list[DiagnosticModel] = Field(default_factory=list)
    warnings: list[DiagnosticModel] = Field(default_factory=list)
    pre_existing: int = 0
    notes: dict[str, int | str | list[str]] = Field(default_factory=dict)
    """Figures of single ops (references, callers_updated, action …), sent beside the other keys."""


class Accepted(Judged):
    """An edit that the gate approved: on the disk, or as text edits for the overlaid buffers."""

    status: Literal["accepted"] = "accepted"
    edit: int = 0
    edits: dict[str, list[TextEdit]] = Field(default_factory=dict)
    deletes: list[str] = Field(default_factory=list)
    """Files that are to be deleted along with `edits`."""
    view: ViewModel | None = None
    views_omitted: str = ""
    generation: int = 0
    undo_of: int = 0


class DryRun(Judged):
    """An edit that would be accepted; the disk is as it was."""

    status: Literal["ok"] = "ok"
    dry_run: bool = True
    would: Literal["accepted"] = "accepted"
    diff: str = ""
    hashes: dict[str, str] = Field(default_factory=dict)
    """First 16 hex digits of the SHA-256 of each file as it would be, "" = deleted."""
    texts: dict[str, str] = Field(default_factory=dict)
    """Whole files as they would be, when asked for: a candidate for `go test -overlay`."""


class Rejected(Response):
    """A refusal with everything that is known about mending it."""

    status: Literal["rejected"] = "rejected"
    reason: str
    detail: str = ""
    diagnostics: list[DiagnosticModel] = Field(default_factory=list)
    did_you_mean: list[str] = Field(default_factory=list)
    possible_repairs: list[RepairModel] = Field(default_factory=list)
    op: int | None = None
    handles_moved: dict[str, str] = Field(default_factory=dict)
    """Handles of the view that an edit was planned on, as they are now."""
    normalised: list[str] = Field(default_factory=list)
    resent: int = 0
    escalation: str = ""
    look: dict[str, Json] = Field(default_factory=dict)
    """A read and its answer, when the same request comes again."""


class Failed(Response):
    """An error of the environment or of ago itself; `mend` says what to do."""

    status: Literal["failed"] = "failed"
    key: str
    message: str
    mend: str = ""


def rejected(reject: Reject, repairs: tuple[Repair, ...] = ()) -> Rejected:
    """A refusal as a response; `repairs` replace those that the refusal carries when given."""
    return Rejected(
        reason=reject.reason,
        detail=reject.detail,
        diagnostics=[diagnostic_model(finding) for finding in reject.diagnostics],
        did_you_mean=list(reject.did_you_mean),
        possible_repairs=[repair_model(repair) for repair in repairs or reject.repairs],
        op=reject.op,
        handles_moved=_handles_moved(reject.facts.get("handles")),
    )


def _handles_moved(handles: Json) -> dict[str, str]:
    """Those of a map of all handles that have another name now."""
    pairs = handles.items() if isinstance(handles, dict) else ()
    return {old: str(new) for old, new in pairs if old != new}


def failed(error: AgoError) -> Failed:
    """An operator's problem as a response."""
    return Failed(key=error.key, message=error.message, mend=error.mend)


def diagnostic_model(finding: Finding) -> DiagnosticModel:
    """A finding as the wire has it: one `pos`, workspace-relative."""
    pos = f"{finding.file}:{finding.line}:{finding.col}" if finding.line else finding.file
    return DiagnosticModel(
        pos=pos, msg=finding.msg, code=finding.code, op=finding.op, context=finding.context
    )


def _drop_empty(value: dict[str, Json]) -> dict[str, Json]:
    out: dict[str, Json] = {}
    for key, item in value.items():
        # A call's arguments are the caller's own: an empty string in them may be meant.
        kept = item if key == "args" else _clean(item)
        if key == "args" or isinstance(kept, bool) or kept not in (None, "", 0, [], {}):
            out[key] = kept
    return out


def _clean(value: Json) -> Json:
    if isinstance(value, dict):
        return _drop_empty(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
