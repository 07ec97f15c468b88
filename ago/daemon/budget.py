"""Budget: hold a response under its number of tokens, saying what was left off.

Invariant: what identifies the outcome (status, reason, edit, counts) is never cut; cuts are made
where most of the text is, and each is named.
"""

from __future__ import annotations

import orjson

from grammar_ops.reject import Json

BYTES_PER_TOKEN = 4
SMALLEST_TEXT = 400
SMALLEST_LIST = 3
WHOLE = frozenset({"edits"})
"""What is of no use in part: the text edits of unsaved buffers."""


def fit(body: dict[str, Json], tokens: int) -> dict[str, Json]:
    """`body` within `tokens`: long texts end at a line, long lists after some entries."""
    limit = tokens * BYTES_PER_TOKEN
    excess = _size(body) - limit
    if excess <= 0:
        return body
    out = dict(body)
    for key in sorted(out.keys() - WHOLE, key=lambda k: _size(out[k]), reverse=True):
        if excess <= 0:
            break
        excess -= _shorten(out, key, excess)
    return out


def _shorten(out: dict[str, Json], key: str, excess: int) -> int:
    """Cut the value of `key` by up to `excess` bytes, note it, and say how much was saved."""
    value, before = out[key], _size(out)
    if isinstance(value, str) and len(value) > SMALLEST_TEXT:
        kept = value[: max(SMALLEST_TEXT, len(value) - excess)].rpartition("\n")[0]
        out[key] = kept or value[:SMALLEST_TEXT]
        out["truncated"] = True
        out[f"{key}_lines_left_off"] = value.count("\n") - kept.count("\n")
    elif isinstance(value, list) and len(value) > SMALLEST_LIST:
        kept_items = _first(value, max(0, _size(value) - excess))
        out[key] = kept_items
        out["truncated"] = True
        out[f"{key}_left_off"] = len(value) - len(kept_items)
    elif isinstance(value, dict) and any(_is_long(v) for v in value.values()):
        inner = dict(value)
        out[key] = inner
        for name in sorted(inner, key=lambda k: _size(inner[k]), reverse=True)[:2]:
            if (missing := excess - (before - _size(out))) > 0:
                _shorten(inner, name, missing)
    return before - _size(out)


def _is_long(value: Json) -> bool:
    return isinstance(value, str | list | dict) and _size(value) > SMALLEST_TEXT


def _first(items: list[Json], room: int) -> list[Json]:
    used = 0
    for count, item in enumerate(items):
        used += _size(item) + 1
        if used > room and count >= SMALLEST_LIST:
            return items[:count]
    return items


def _size(value: object) -> int:
    return len(orjson.dumps(value))
