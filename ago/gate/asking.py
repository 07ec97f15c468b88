"""Asking a checker: a candidate as the request that it judges, unsaved buffers left out of account.

Invariant: spans lead from the disk to the candidate, whatever buffers lie between the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ago.checker.checker import Change, Checker, CheckRequest, CheckResult, Pieces
from ago.stages import Candidate, Draft, DraftFile, MovedText
from grammar_ops.ledger import compose


def ask(checker: Checker, candidate: Candidate) -> CheckResult:
    """The checker's word, with what the unsaved buffers alone already do taken as its base."""
    buffers = candidate.buffers
    result = checker.check(request_of(candidate.draft, candidate.files, buffers, candidate.moved))
    if not candidate.buffers:
        return result
    alone = checker.check(request_of(candidate.draft, {}, candidate.buffers))
    standing = {unit.key: unit.diagnostics for unit in alone.units}
    known = {name_change(change) for change in alone.changes}
    return replace(
        result,
        units=tuple(replace(u, base=standing.get(u.key, u.base)) for u in result.units),
        changes=tuple(c for c in result.changes if name_change(c) not in known),
    )


def request_of(
    draft: Draft,
    files: Mapping[str, DraftFile],
    buffers: Mapping[str, DraftFile],
    moved: Sequence[MovedText] = (),
) -> CheckRequest:
    """Disk to candidate as the checkers see it: unsaved buffers lie between the two."""
    layers = {**buffers, **files}
    spans = {path: _from_disk(buffers, file) for path, file in layers.items() if file.text}
    overlay = {path: file.text for path, file in layers.items()}
    places = []
    for source, path, pieces in moved:
        under = buffers.get(source)
        places.append((source, path, compose(under.pieces, pieces) if under else pieces))
    return CheckRequest(overlay, spans, draft.renames, draft.moves, places)


def name_change(change: Change) -> tuple[str, str, int, str, str]:
    """What makes two changes the same one."""
    return change.kind, change.file, change.base_offset, change.old, change.new


def _from_disk(buffers: Mapping[str, DraftFile], file: DraftFile) -> Pieces:
    under = buffers.get(file.path)
    if under is None or under is file:
        return file.pieces
    return compose(under.pieces, file.pieces)
