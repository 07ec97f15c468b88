"""Results as they go on: which new one is which old one, and what returns give for the others.

Invariant: a result is carried by its name, then by its type, then by its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grammar_ops.near import near_names
from grammar_ops.reject import Reject, register
from grammar_ops.syntax.shapes import NAMELESS, Slot

register(
    "grammar",
    {
        "unknown_result": "fill names a result that the new signature does not have",
        "result_needs_fill": "returns need an expression for a new result",
    },
)


class Giving(NamedTuple):
    """How the results of a function go on."""

    before: int
    """How many there were."""
    sources: tuple[int | None, ...]
    """For each new result the number of the old one, None for one that is new."""
    fills: tuple[str, ...]
    """What returns give for each new result, "" for one that goes on."""
    slots: tuple[Slot, ...]
    """The new results."""
    home: tuple[str, str]
    """The package and file that the fills are said in."""
    strict: bool
    """Whether it is asked for, so that what can't follow is a refusal."""

    @property
    def gone(self) -> frozenset[int]:
        """The old results that are given no more."""
        return frozenset(range(self.before)) - {s for s in self.sources if s is not None}

    def keep_names(self, old: Sequence[Slot]) -> tuple[Slot, ...]:
        """The new results of a function that has names for its old ones, which go on."""
        if not any(slot.name for slot in old) or any(slot.name for slot in self.slots):
            return self.slots
        pairs = zip(self.slots, self.sources, strict=True)
        return tuple(s._replace(name="_" if i is None else old[i].name) for s, i in pairs)


def plan_giving(
    old: Sequence[Slot], new: Sequence[Slot], fill: Mapping[str, str], home: tuple[str, str]
) -> Giving | None:
    """How the results go on; None where nobody has to follow, or nothing says how.

    Without `fill` nothing does unless results only go.
    """
    fresh = _read_fill(old, new, fill)
    sources = _match(old, new, fresh)
    lacking = [s.name or s.type for i, s in enumerate(new) if sources[i] is None and i not in fresh]
    if fill and lacking:
        raise Reject("result_needs_fill", ", ".join(lacking))
    same = sources == tuple(range(len(old)))
    if lacking or same or (not fill and len(new) >= len(old)):
        return None
    fills = tuple(fresh.get(i, "") for i in range(len(new)))
    return Giving(len(old), sources, fills, tuple(new), home, bool(fill))


def _read_fill(old: Sequence[Slot], new: Sequence[Slot], fill: Mapping[str, str]) -> dict[int, str]:
    """The expressions by the number of their result, which is said by name, type or number."""
    found = dict[int, str]()
    for key, text in fill.items():
        named = [i for i, slot in enumerate(new) if slot.name == key and key not in NAMELESS]
        typed = [i for i, slot in enumerate(new) if _bare(slot) == "".join(key.split())]
        had = sum(_bare(slot) == "".join(key.split()) for slot in old)
        placed = [int(key) - 1] if key.isdecimal() and 0 < int(key) <= len(new) else []
        # Of several with one type the last ones: those that the type has more than before.
        meant = named or typed[min(had, len(typed) - 1) :] if named or typed else placed
        if not meant:
            near = near_names(key, [name for s in new for name in (s.name, s.type) if name])
            raise Reject("unknown_result", f"fill: {key}", did_you_mean=tuple(near))
        found |= dict.fromkeys(meant, text)
    return found


def _match(
    old: Sequence[Slot], new: Sequence[Slot], fresh: Mapping[int, str]
) -> tuple[int | None, ...]:
    """For each new result the old one that goes on as it."""
    names = {slot.name: i for i, slot in enumerate(old) if slot.name not in NAMELESS}
    rest = [i for i in range(len(new)) if i not in fresh]
    sources = {i: names[new[i].name] for i in rest if new[i].name in names}
    free = [i for i in range(len(old)) if i not in sources.values()]
    for i in [i for i in rest if i not in sources]:
        same = [number for number in free if _bare(old[number]) == _bare(new[i])]
        if same:
            sources[i] = same[0]
            free.remove(same[0])
    left = [i for i in rest if i not in sources]
    if len(left) == len(free):
        sources |= dict(zip(left, free, strict=True))
    return tuple(sources.get(i) for i in range(len(new)))


def _bare(slot: Slot) -> str:
    return "".join(slot.type.split())
