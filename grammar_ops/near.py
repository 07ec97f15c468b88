"""Near names for a miss: equal but for case, then part of one another, then a subsequence.

Invariant: the order of the candidates is kept inside a tier, so answers are stable.
"""

from __future__ import annotations

from collections.abc import Iterable

LIMIT = 3
_SUBSEQUENCE_FROM = 4


def near_names(query: str, names: Iterable[str], limit: int = LIMIT) -> tuple[str, ...]:
    """Up to `limit` of `names` that `query` may have meant, the nearest first."""
    ranked = [(tier, name) for name in names if (tier := _tier(query.lower(), name.lower())) < 3]
    ranked.sort(key=lambda pair: pair[0])
    return tuple(dict.fromkeys(name for _, name in ranked))[:limit]


def _tier(query: str, name: str) -> int:
    if not query or not name:
        return 3
    if query == name:
        return 0
    if query in name or name in query:
        return 1
    if len(query) >= _SUBSEQUENCE_FROM and (
        _is_subsequence(query, name) or _is_subsequence(name, query)
    ):
        return 2
    return 3


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return len(short) > 1 and all(letter in letters for letter in short)
