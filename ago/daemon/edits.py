"""log and show: the accepted edits as answers.

Invariant: reads the history alone; what the disk holds now is not looked at.
"""

from __future__ import annotations

from datetime import UTC, datetime

from ago.commit.history import History, HistoryEdit
from ago.protocol.requests import Log
from ago.queries.page import BYTES_PER_TOKEN, paginate
from grammar_ops.linediff import unified_diff
from grammar_ops.reject import Json, Reject

PAGE = 50


def log_answer(history: History, request: Log, budget_tokens: int) -> dict[str, Json]:
    """The kept edits newest first, a page of them; `ends_at` is the oldest that can be shown."""
    count, edits = history.page(request.offset, PAGE)
    room = (request.max_tokens or budget_tokens) * BYTES_PER_TOKEN
    page = paginate("edits", count, map(_row, edits), request, room)
    if "next_offset" not in page and edits and edits[-1].n > 1:
        page["ends_at"] = edits[-1].n
    return {"status": "ok", **page}


def show_answer(history: History, number: int) -> dict[str, Json]:
    """One edit with its diff; Reject edit_unknown."""
    edit = history.find(number)
    if edit is None:
        count, newest = history.page(0, 1)
        near = tuple(str(e.n) for e in newest)
        raise Reject("edit_unknown", f"edit {number}; {count} edits are kept", (), near)
    diff = "".join(unified_diff(f.path, f.before, f.after) for f in edit.files)
    return {"status": "ok", **_row(edit), "diff": diff}


def _row(edit: HistoryEdit) -> dict[str, Json]:
    at = datetime.fromtimestamp(edit.at, UTC).isoformat(timespec="seconds")
    row: dict[str, Json] = {
        "edit": edit.n,
        "at": at.replace("+00:00", "Z"),
        "title": edit.title,
        "files": list(edit.paths),
        "confirmation": edit.confirmation,
    }
    optional: dict[str, Json] = {
        "detail": edit.detail, "undo_of": edit.undo_of, "undone_by": edit.undone_by
    }  # fmt: skip
    return row | {key: value for key, value in optional.items() if value}
