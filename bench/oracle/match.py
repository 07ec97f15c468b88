"""Which declaration of the old file is which of the new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.oracle.items import Item

SHARED = ("_", "init", "()")


class Matched(NamedTuple):
    """Pairs of indices of items that are the same declaration, and the indices left over."""

    pairs: tuple[tuple[int, int], ...]
    gone: tuple[int, ...]
    new: tuple[int, ...]


def match_items(old: Sequence[Item], new: Sequence[Item]) -> Matched:
    """Pair items by name, groups by any common member, `init` and `_` by their text."""
    pairs: list[tuple[int, int]] = []
    left, right = dict(enumerate(old)), dict(enumerate(new))
    rules: tuple[Callable[[Item, Item], bool], ...] = (
        lambda a, b: a.text == b.text,
        lambda a, b: bool(names(a) & names(b)),
        lambda a, b: is_shared(a) and a.syms[:1] == b.syms[:1] and a.kind == b.kind,
    )
    for rule in rules:
        for j, b in list(right.items()):
            i = next((i for i, a in left.items() if rule(a, b)), None)
            if i is not None:
                pairs.append((i, j))
                del left[i], right[j]
    return Matched(tuple(sorted(pairs, key=lambda p: p[1])), tuple(left), tuple(right))


def names(item: Item) -> set[str]:
    """The names of an item that no other declaration can have."""
    return {sym for sym in item.syms if sym not in SHARED}


def is_shared(item: Item) -> bool:
    """Whether no name tells the item apart."""
    return not names(item)
