"""Pages: the hits of a list from an offset on, as many as the budget holds, their count first.

Invariant: pages tile: the next offset continues where a page ended; a page has at least one hit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import orjson

from ago.protocol.requests import Lines, Paged
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register
from grammar_ops.syntax.decls import Decl

register("queries", {"unknown_field": "the entries of that answer have no such field"})

BYTES_PER_TOKEN = 4
_ENVELOPE = 300
"""Bytes for the count of a page, and for the call that goes on behind it."""

T = TypeVar("T")


def list_answer(
    snapshot: Snapshot,
    request: Paged,
    found: Mapping[str, Json],
    key: str,
    items: Sequence[T],
    show: Callable[[T], dict[str, Json]],
) -> dict[str, Json]:
    """A whole answer: what was `found`, then a page of the items, each as `show` has it."""
    head = without_empty(found)
    hits = (show(item) for item in items[request.offset :])
    return {"status": "ok", **head} | paginate(
        key, len(items), hits, request, budget_of(snapshot, request, head)
    )


def budget_of(snapshot: Snapshot, request: Paged | Lines, head: Mapping[str, Json]) -> int:
    """The bytes that the entries of an answer may take beside its head."""
    usual = request.usual_tokens if isinstance(request, Paged) else snapshot.budget_tokens
    tokens = request.max_tokens or min(usual, snapshot.budget_tokens)
    return tokens * BYTES_PER_TOKEN - len(orjson.dumps(head)) - _ENVELOPE


def paginate(
    key: str, count: int, hits: Iterable[dict[str, Json]], request: Paged, room: int
) -> dict[str, Json]:
    """`count`, the hits (an iterable that starts at the offset) under `key`, where to go on."""
    page: list[Json] = []
    shown = _only_fields(hits, request.fields) if request.fields else hits
    for hit in shown:
        room -= len(orjson.dumps(hit)) + 1
        if room < 0 and page:
            break
        page.append(hit)
    answer: dict[str, Json] = {"count": count, key: page}
    end = min(request.offset, count) + len(page)
    if end < count and page:
        answer |= {"truncated": True, "next_offset": end}
    return answer


def _only_fields(hits: Iterable[dict[str, Json]], fields: str) -> Iterable[dict[str, Json]]:
    """The hits with some of their fields; Reject(unknown_field) where there is none of them."""
    wanted = fields.replace(",", " ").split()
    for number, hit in enumerate(hits):
        kept = {key: hit[key] for key in wanted if key in hit}
        if not number and not kept:
            raise Reject("unknown_field", f"{fields}; there are {', '.join(hit)}", (), tuple(hit))
        yield kept


def text_page(text: str, request: Lines, room: int) -> dict[str, Json]:
    """The lines of a text from the offset on as `text`; where that is not all of them, `lines` in
    all and where to go on."""
    lines = text.splitlines(keepends=True)
    end = request.offset
    for line in lines[request.offset :]:
        room -= len(orjson.dumps(line))
        if room < 0 and end > request.offset:
            break
        end += 1
    page: dict[str, Json] = {}
    if request.offset or end < len(lines):
        page["lines"] = len(lines)
    if end < len(lines):
        page |= {"truncated": True, "next_offset": end}
    return page | {"text": "".join(lines[request.offset : end])}


def pos_of(text: bytes, decl: Decl) -> str:
    """Where a declaration's name stands in its file, as the wire writes it."""
    at = decl.name_span.start
    line, col = text.count(b"\n", 0, at) + 1, at - text.rfind(b"\n", 0, at)
    return f"{decl.path}:{line}:{col}"


def without_empty(hit: Mapping[str, Any]) -> dict[str, Json]:
    """A hit without the fields that say nothing."""
    return {key: value for key, value in hit.items() if value not in ("", None, [], {}, False)}
