"""Near names: what a missed name or package path may have meant.

Invariant: pure; the same misses give the same hints in the same order, best first.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

LIMIT = 3
_SUBSEQUENCE_FROM = 4
"""Shorter queries are a subsequence of too much."""
_CLOSE = 0.75


def near_names(query: str, candidates: Iterable[tuple[str, str]], limit: int = LIMIT) -> list[str]:
    """The best of (answer, compared name): same letters, part of, letters in order, typo."""
    low = query.lower()
    ranked = []
    for place, (answer, name) in enumerate(candidates):
        rank = _rank(low, name.lower())
        if rank is not None:
            ranked.append((rank, place, answer))
    ranked.sort()
    return list(dict.fromkeys(answer for _, _, answer in ranked))[:limit]


def near_packages(query: str, paths: Iterable[str], limit: int = LIMIT) -> list[str]:
    """Import paths with the query's words, with its last part as their end, or that look alike."""
    known = list(paths)
    slashed = query.replace(".", "/").strip("/")
    last = slashed.rpartition("/")[2]
    same = [p for p in known if p.replace(".", "/") == slashed]
    ends = [p for p in known if p == last or p.endswith("/" + last)]
    alike = near_names(last, ((p, p.rpartition("/")[2]) for p in known), limit)
    return list(dict.fromkeys([*same, *ends, *alike]))[:limit]


def _rank(query: str, name: str) -> float | None:
    """0 same letters, 1 part of each other, 2 letters in order, 3 and more a typo; None = far."""
    if not query or not name:
        return None
    if query == name:
        return 0
    if query in name or name in query:
        return 1
    if len(query) >= _SUBSEQUENCE_FROM and (_in_order(query, name) or _in_order(name, query)):
        return 2
    if abs(len(query) - len(name)) > max(2, len(query) // 4):
        return None
    matcher = SequenceMatcher(None, query, name)
    if matcher.quick_ratio() < _CLOSE or (ratio := matcher.ratio()) < _CLOSE:
        return None
    return 4 - ratio


def _in_order(part: str, whole: str) -> bool:
    if len(part) < _SUBSEQUENCE_FROM:
        return False
    letters = iter(whole)
    return all(letter in letters for letter in part)
