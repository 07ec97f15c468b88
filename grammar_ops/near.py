"""Near names: what a missed name may have meant.

Invariant: pure; the same misses give the same hints in the same order, best first.
"""

from __future__ import annotations

from collections.abc import Iterable

LIMIT = 3
_SUBSEQUENCE_FROM = 4
"""Shorter queries are a subsequence of too much."""
_PART_FROM = 3


def near_names(query: str, names: Iterable[str], limit: int = LIMIT) -> tuple[str, ...]:
    """Up to `limit` of `names` that `query` may have meant, the nearest first."""
    return near_pairs(query, ((name, name) for name in names), limit)


def near_pairs(
    query: str, candidates: Iterable[tuple[str, str]], limit: int = LIMIT, farthest: int = 3
) -> tuple[str, ...]:
    """The best of (answer, compared name): same letters, a typo, part of, letters in order.

    `farthest` 1 stops at the typos.
    """
    low = query.lower()
    plain = low.replace("_", "")
    ranks: dict[str, int | None] = {}
    ranked = []
    for place, (answer, name) in enumerate(candidates):
        if name not in ranks:
            # `user_name` is UserName in another language's habit.
            ranks[name] = 0 if plain == name.lower().replace("_", "") else _rank(low, name.lower())
        rank = ranks[name]
        if rank is not None and rank <= farthest:
            far = (rank, name != query, abs(len(name) - len(query)), place)
            ranked.append((*far, answer))
    ranked.sort()
    return tuple(dict.fromkeys(answer for *_, answer in ranked))[:limit]


def _rank(query: str, name: str) -> int | None:
    """0 same letters, 1 a typo apart, 2 part of each other, 3 letters in order; None = far."""
    if not query or not name:
        return None
    if query == name:
        return 0
    if _is_typo(query, name):
        return 1
    if (query in name or name in query) and min(len(query), len(name)) >= _PART_FROM:
        return 2
    if _in_order(query, name) or _in_order(name, query):
        return 3
    return None


def _in_order(part: str, whole: str) -> bool:
    # Half of the name at least: the letters of uint are in order in undefinedThing too.
    if not max(_SUBSEQUENCE_FROM, len(whole) / 2) <= len(part) <= len(whole):
        return False
    letters = iter(whole)
    return all(letter in letters for letter in part)


def _is_typo(a: str, b: str) -> bool:
    """Whether one keystroke (two in a long name) turns one name into the other."""
    allowed = 1 if min(len(a), len(b)) < 6 else 2
    if abs(len(a) - len(b)) > allowed or min(len(a), len(b)) < _PART_FROM:
        return False
    if a[0] != b[0] and a[-1] != b[-1]:
        return False
    return _distance(a, b) <= allowed


def _distance(a: str, b: str) -> int:
    """Edits between two names, a swap of neighbours counted as one."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
