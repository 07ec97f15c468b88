"""Pages: the hits of a list from an offset on, as many as the budget holds, their count first.

Invariant: pages tile: the next offset continues where a page ended; a page has at least one hit.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from grammar_ops.reject import Json
from grammar_ops.syntax.decls import Decl

BYTES_PER_TOKEN = 4
_ENVELOPE = 400
"""Bytes that the rest of an answer may take."""


def paginate(
    key: str, count: int, hits: Iterable[dict[str, Json]], offset: int, tokens: int
) -> dict[str, Json]:
    """`count`, the hits (an iterable that starts at `offset`) under `key`, and where to go on."""
    room = max(tokens * BYTES_PER_TOKEN - _ENVELOPE, 0)
    page: list[Json] = []
    for hit in hits:
        room -= len(orjson.dumps(hit)) + 1
        if room < 0 and page:
            break
        page.append(hit)
    answer: dict[str, Json] = {"count": count, key: page}
    end = min(offset, count) + len(page)
    if end < count and page:
        answer |= {"truncated": True, "next_offset": end}
    return answer


def pos_of(text: bytes, decl: Decl) -> str:
    """Where a declaration's name stands in its file, as the wire writes it."""
    at = decl.name_span.start
    line, col = text.count(b"\n", 0, at) + 1, at - text.rfind(b"\n", 0, at)
    return f"{decl.path}:{line}:{col}"


def without_empty(hit: dict[str, Json]) -> dict[str, Json]:
    """A hit without the fields that say nothing."""
    return {key: value for key, value in hit.items() if value not in ("", None, [], {}, False)}
