"""Where lines stand in a file: letter by letter, then but for white space; and the nearest place.

Invariant: a place is only given when it is the one; two that are as good are both named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from grammar_ops.text.hunks import NEW, Hunk, Row

_SAME = 0.4
"""A place that has less in common is no nearest place."""

_PLAIN = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f", " ")
)


def _plain(line: bytes) -> bytes:
    return line.strip().decode("utf-8", "replace").translate(_PLAIN).encode()


FORMS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("", lambda line: line),
    ("but for white space at the end of lines", bytes.rstrip),
    ("but for indentation", bytes.strip),
    ("but for typographic signs", _plain),
)
"""How lines are compared, the strictest way first, and what is said of it."""
INDENTED = 2
"""From this form on indentation may differ."""


class Fit(NamedTuple):
    """Where a hunk stands: the line that it begins at, its rows, and how they were compared."""

    start: int
    rows: tuple[Row, ...]
    form: int = 0


class Several(NamedTuple):
    """The lines that a hunk may begin at."""

    starts: tuple[int, ...]


class Nearest(NamedTuple):
    """The lines of a file that are most like the ones looked for."""

    start: int
    lines: tuple[bytes, ...]
    ratio: float


def find_fit(
    lines: Sequence[bytes], hunk: Hunk, start: int, drift: int, *, first: bool = False
) -> Fit | Several | None:
    """Where a hunk stands from line `start` on, lines counted from 0; `drift` is how far the ones
    before it stood from where they said; `first` takes the first place of several."""
    begin, under = _below(lines, hunk, start)
    if not hunk.old:
        return _insertion(lines, hunk, begin, drift, under=under and not first)
    for rows in _variants(hunk.rows):
        wanted = [row.line for row in rows if row.tag != NEW]
        for form, (_, plain) in enumerate(FORMS):
            found = _places(lines, wanted, plain)
            ahead = [at for at in found if at >= start]
            if hunk.to_end and len(lines) - len(wanted) in ahead:
                ahead = [len(lines) - len(wanted)]
            if not ahead:
                continue
            below = [at for at in ahead if at >= begin]
            chosen = _choose(ahead, below, hunk, drift)
            if chosen is None and (first or (under and below and not hunk.line)):
                chosen = (below or ahead)[0]
            return Several(tuple(ahead)) if chosen is None else Fit(chosen, rows, form)
    return None


def find_nearest(lines: Sequence[bytes], wanted: Sequence[bytes]) -> Nearest | None:
    """The place that is most like the lines that were looked for, None when none is like them."""
    stripped = [line.strip() for line in lines]
    votes: Counter[int] = Counter()
    where: dict[bytes, list[int]] = {}
    for at, line in enumerate(stripped):
        where.setdefault(line, []).append(at)
    for offset, line in enumerate(wanted):
        for at in where.get(line.strip(), ()):
            votes[max(0, at - offset)] += len(line.strip())
    starts = [at for at, _ in sorted(votes.items(), key=lambda v: (-v[1], v[0]))[:5]]
    if not starts:
        starts = _alike(stripped, wanted)
    best: Nearest | None = None
    for at in starts:
        window = tuple(lines[at : at + len(wanted)])
        ratio = _likeness(window, wanted)
        if ratio >= _SAME and (best is None or ratio > best.ratio):
            best = Nearest(at, window, ratio)
    return best


def _places(
    lines: Sequence[bytes], wanted: Sequence[bytes], plain: Callable[[bytes], bytes]
) -> list[int]:
    """The lines from which on the wanted ones stand."""
    texts, sought = [plain(line) for line in lines], [plain(line) for line in wanted]
    ends = len(texts) - len(sought)
    return [
        at
        for at in range(ends + 1)
        if texts[at] == sought[0] and texts[at : at + len(sought)] == sought
    ]


def _choose(ahead: Sequence[int], below: Sequence[int], hunk: Hunk, drift: int) -> int | None:
    """The place at the line that the hunk names, else the only one, else the only one below the
    lines that stand above it."""
    for wanted in (hunk.line - 1 + drift, hunk.line - 1):
        if hunk.line and wanted in ahead:
            return wanted
    return next((found[0] for found in (ahead, below) if len(found) == 1), None)


def _below(lines: Sequence[bytes], hunk: Hunk, start: int) -> tuple[int, bool]:
    """The line behind those that the hunk says stand above it, and whether there are such."""
    at, found = start, False
    for head in hunk.heads:
        hit = _find_head(lines, head.strip(), at)
        if hit is not None:
            at, found = hit + 1, True
    return at, found


def _find_head(lines: Sequence[bytes], head: bytes, start: int) -> int | None:
    """The first line that is the one which a hunk says stands above it, or begins as it does."""
    texts = [line.strip() for line in lines[start:]]
    whole = (at for at, text in enumerate(texts) if text == head)
    begun = (at for at, text in enumerate(texts) if text.startswith(head))
    hit = next(whole, next(begun, None))
    return None if hit is None else start + hit


def _insertion(lines: Sequence[bytes], hunk: Hunk, begin: int, drift: int, *, under: bool) -> Fit:
    """Where new lines alone go: below the line that the hunk names, else to the end."""
    if under:
        return Fit(begin, hunk.rows)
    after = hunk.line + drift if hunk.line and not hunk.heads else len(lines)
    return Fit(min(max(after, 0), len(lines)), hunk.rows)


def _variants(rows: tuple[Row, ...]) -> list[tuple[Row, ...]]:
    """The rows, and without blank ones at their ends that only the text may have."""
    old = [at for at, row in enumerate(rows) if row.tag != NEW]
    left = list(old)
    while left and not rows[left[-1]].line.strip():
        left.pop()
    while left and not rows[left[0]].line.strip():
        del left[0]
    if not left or len(left) == len(old):
        return [rows]
    dropped = {*old} - {*left}
    return [rows, tuple(row for at, row in enumerate(rows) if at not in dropped)]


def _alike(stripped: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    """The places at which the longest wanted line is most like the one that stands there."""
    offset = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    sought = wanted[offset].strip()
    matcher = SequenceMatcher(None, b="", autojunk=False)
    matcher.set_seq2(sought.decode("utf-8", "replace"))

    @cache
    def ratio(line: bytes) -> float:
        matcher.set_seq1(line.decode("utf-8", "replace"))
        fast = matcher.real_quick_ratio() >= _SAME and matcher.quick_ratio() >= _SAME
        return matcher.ratio() if fast else 0.0

    best = sorted(range(len(stripped)), key=lambda at: -ratio(stripped[at]))[:3]
    return [max(0, at - offset) for at in best if ratio(stripped[at]) >= _SAME]


def _likeness(window: Sequence[bytes], wanted: Sequence[bytes]) -> float:
    texts = [b"\n".join(line.strip() for line in part)[:4000] for part in (window, wanted)]
    one, other = (text.decode("utf-8", "replace") for text in texts)
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
