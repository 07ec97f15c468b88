"""Candidate: the draft's files formatted; exactly the bytes that would be written.

Invariant: only files of the draft change; where one was not canonical, only touched declarations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ago.checker.checker import FormatItem, Formatted, Pieces, TypeOracle
from ago.patch.imports import ImportChanges
from ago.stages import Candidate, Draft, DraftFile, find_origin
from grammar_ops.ledger import compose
from grammar_ops.reject import Finding, Reject, register

register(
    "patch",
    {
        "patch_does_not_parse": "the edited file is no Go any more; diagnostics say where",
        "no_change": "the patch leaves every file as it is",
    },
)


def format_draft(
    draft: Draft, oracle: TypeOracle, imports: ImportChanges, buffers: Mapping[str, DraftFile]
) -> Candidate:
    """Format the draft's Go files; Reject patch_does_not_parse, no_change."""
    go_files = [f for f in draft.files.values() if f.text is not None and f.path.endswith(".go")]
    items = [
        FormatItem(f.path, f.text or b"", _form_of(f, draft), draft.spans.get(f.path, ()))
        for f in go_files
    ]
    files, moves = dict(draft.files), {}
    for file, formatted in zip(go_files, _format(items, oracle), strict=True):
        if formatted.error is not None:
            _refuse_broken(draft, file, formatted, oracle)
            continue
        files[file.path], moves[file.path] = _formatted(file, formatted)
    files = {path: file for path, file in files.items() if file.text != file.base}
    if not files:
        raise Reject("no_change", ", ".join(sorted(draft.files)))
    moved = tuple(
        text._replace(pieces=compose(text.pieces, moves[text.path])) if text.path in moves else text
        for text in draft.moved
    )
    return Candidate(draft, files, imports.added, imports.removed, buffers, moves, moved)


def _form_of(file: DraftFile, draft: Draft) -> bytes | None:
    """The text whose form a file keeps: its own base, or that of the file that became it."""
    if file.base is not None:
        return file.base

    def is_gone(path: str) -> bool:
        return path in draft.files and draft.files[path].text is None

    origin = find_origin(draft.moved, file.path, is_gone)
    return draft.files[origin].base if origin else None


def _format(items: Sequence[FormatItem], oracle: TypeOracle) -> Sequence[Formatted]:
    return oracle.format(items) if items else ()


def _formatted(file: DraftFile, formatted: Formatted) -> tuple[DraftFile, Pieces]:
    pieces = compose(file.pieces, formatted.pieces)
    return replace(file, text=formatted.text, pieces=pieces), formatted.pieces


def _refuse_broken(draft: Draft, file: DraftFile, formatted: Formatted, oracle: TypeOracle) -> None:
    """Refuse a file that the patch broke; one that was broken before is mended step by step."""
    base = _form_of(file, draft)
    if base is not None and oracle.syntax("file", base.decode("utf-8", "replace")):
        return
    error = formatted.error
    assert error is not None
    ops = draft.op_of.get(file.path, ())
    op = next((op for start, end, op in ops if start <= error.offset <= end and op), None)
    finding = Finding(file.path, error.line, error.col, error.msg, error.code, op)
    raise Reject("patch_does_not_parse", file.path, diagnostics=(finding,), op=op)
