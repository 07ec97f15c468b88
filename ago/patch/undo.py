"""Undo: one accepted edit taken back, through the gate like any other.

Invariant: later edits stay; where one touched the same lines the undo is refused with the places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ago.commit.history import History, HistoryEdit, HistoryFile
from ago.patch.answer import Asked
from ago.patch.judging import checkers_of
from ago.patch.note import moves_back, note_of, renames_back, restored
from ago.protocol.requests import Mutation, Undo
from ago.protocol.responses import Accepted, DryRun
from ago.stages import Candidate, Draft, DraftFile
from ago.workspace.snapshot import Snapshot
from grammar_ops.edit import Span
from grammar_ops.ledger import Ledger
from grammar_ops.linediff import diff_pieces, text_edits
from grammar_ops.reject import Finding, Reject, register

if TYPE_CHECKING:
    from ago.patch.engine import Engine

register(
    "history",
    {
        "nothing_to_undo": "no accepted edit is left to take back",
        "edit_unknown": "there is no edit of that number, or it is no longer kept",
        "already_undone": "the edit was taken back before",
        "undo_conflict": "later changes touch the lines of the edit; diagnostics say where",
    },
)


def undo(engine: Engine, request: Undo) -> Accepted | DryRun:
    """Take one edit back; Reject with what moved, or with what would break."""
    with engine.writing, engine.confirmer.paused():
        edit = _find(engine.history, request.edit)
        return engine.workspace.reading(lambda snapshot: _undo(engine, request, edit, snapshot))


def _undo(
    engine: Engine, request: Undo, edit: HistoryEdit, snapshot: Snapshot
) -> Accepted | DryRun:
    files = {}
    for kept in edit.files:
        now = snapshot.find(kept.path)
        files[kept.path] = _restored(kept, now)
    exact = all(snapshot.find(f.path) == f.after for f in edit.files)
    files = {path: file for path, file in files.items() if file.text != file.base}
    draft = Draft(
        files=files, touches=(), gone=(), renames=renames_back(edit), keeps_meaning=False,
        spans={}, op_of={}, moves=moves_back(edit),
    )  # fmt: skip
    candidate = Candidate(draft, files)
    # Back to a state that was judged before: what rebinds is what the edit itself had rebound.
    mutation = Mutation(
        dry_run=request.dry_run, allow_rebind=exact, idempotency_key=request.idempotency_key
    )
    asked = Asked(restored(edit), undo_of=edit.n)
    note = note_of(mutation, candidate, edit.n)
    checkers = checkers_of(engine.workspace, snapshot)
    return engine.conclude(candidate, mutation, asked, note, checkers, snapshot)


def _find(history: History, number: int) -> HistoryEdit:
    number = number or history.find_undoable()
    if not number:
        raise Reject("nothing_to_undo")
    edit = history.find(number)
    if edit is None:
        raise Reject("edit_unknown", f"edit {number}")
    if edit.undone_by:
        raise Reject("already_undone", f"edit {number} by edit {edit.undone_by}")
    return edit


def _restored(kept: HistoryFile, now: bytes | None) -> DraftFile:
    """A file with the edit taken out of what it holds now."""
    if now == kept.after:
        pieces = diff_pieces(now or b"", kept.before or b"") if kept.before is not None else ()
        return DraftFile(kept.path, now, kept.before, pieces)
    if now is None or kept.after is None or kept.before is None:
        raise Reject("undo_conflict", f"{kept.path} was created or deleted since")
    # Later changes moved the edit's lines: find where they stand now, and replace them there.
    to_now = diff_pieces(kept.after, now)
    ledger = Ledger(now)
    for start, end, text in reversed(text_edits(kept.after, kept.before)):
        span = _through(to_now, start, end, len(kept.after), len(now))
        if span is None:
            line = kept.after[:start].count(b"\n") + 1
            finding = Finding(kept.path, line, 1, "changed again since", "undo_conflict")
            raise Reject("undo_conflict", kept.path, diagnostics=(finding,))
        ledger.splice(span, text, 1)
    return DraftFile(kept.path, now, ledger.text, ledger.pieces())


def _through(
    pieces: tuple[tuple[int, int, int], ...], start: int, end: int, size: int, new_size: int
) -> Span | None:
    """Where [start, end) of the edit's own text stands now, unchanged; None when it was changed."""
    for old, new, length in (*pieces, (size, new_size, 0)):
        if old <= start and end <= old + length:
            return Span(start - old + new, end - old + new)
    return None
