"""Figures of the request log: what was refused and why, what was sent again, latencies, sizes.

Invariant: pure; rows in, figures out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from ago.catalog.schema import tools
from grammar_ops.reject import Json

Row = dict[str, Json]


@dataclass(frozen=True)
class Chain:
    """Refused edits in a row, and the request that was accepted after them, if one was."""

    refused: tuple[Row, ...]
    accepted: Row | None

    @property
    def took_repair(self) -> bool:
        """Whether the accepted request is one that a refusal had offered."""
        if self.accepted is None:
            return False
        offered = {sha for row in self.refused for sha in _list(row, "offers")}
        return self.accepted.get("req_sha") in offered


def summarise(rows: Sequence[Row]) -> dict[str, Json]:
    """The figures as a response."""
    found = find_chains(rows)
    outcomes = Counter(str(row.get("outcome")) for row in rows)
    body: dict[str, Json] = {"status": "ok", "requests": len(rows)}
    if rows:
        body |= {"since": rows[0].get("ts"), "until": rows[-1].get("ts")}
    body["outcomes"] = dict(outcomes.most_common())
    body["tools"] = [_tool(tool, mine) for tool, mine in _by(rows, "op")]
    refused = [row for row in rows if row.get("outcome") == "rejected"]
    body["rejections"] = [_reason(reason, mine, found) for reason, mine in _by(refused, "reason")]
    body["resends"] = sum(1 for row in refused if row.get("resent"))
    body["repairs"] = {
        "offered": sum(1 for row in refused if row.get("repairs")),
        "taken": sum(1 for chain in found if chain.took_repair),
        "mended_otherwise": sum(1 for c in found if c.accepted and not c.took_repair),
    }
    return body


def find_chains(rows: Iterable[Row]) -> list[Chain]:
    """Runs of refused edits, each with the edit that ended it; reads in between don't count."""
    found: list[Chain] = []
    open_: list[Row] = []
    for row in rows:
        if row.get("outcome") == "rejected" and is_edit(row):
            open_.append(row)
        elif row.get("outcome") == "accepted" and row.get("op") != "undo" and open_:
            found.append(Chain(tuple(open_), row))
            open_ = []
    return found + ([Chain(tuple(open_), None)] if open_ else [])


def is_edit(row: Row) -> bool:
    """Whether a request was for an edit."""
    tool = tools().get(str(row.get("op")))
    return tool is not None and tool.kind == "write"


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share of the values does not exceed, by nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else 0.0


def _tool(tool: str, rows: Sequence[Row]) -> Row:
    times, sizes = _numbers(rows, "ms"), _numbers(rows, "bytes")
    bytes_: Row = {f"p{share}": int(percentile(sizes, share / 100)) for share in (50, 90)}
    return {
        "tool": tool,
        "count": len(rows),
        "rejected": sum(1 for row in rows if row.get("outcome") == "rejected"),
        "ms": {f"p{share}": percentile(times, share / 100) for share in (50, 90, 99)},
        "bytes": bytes_ | {"max": int(max(sizes, default=0))},
    }


def _reason(reason: str, rows: Sequence[Row], chains: Sequence[Chain]) -> Row:
    mended = {id(row) for chain in chains if chain.accepted for row in chain.refused}
    row: Row = {"reason": reason, "count": len(rows)}
    row |= {"resent": sum(1 for r in rows if r.get("resent"))}
    return row | {"followed_by_an_edit": sum(1 for r in rows if id(r) in mended)}


def _by(rows: Iterable[Row], key: str) -> list[tuple[str, list[Row]]]:
    """The rows by a key, the most frequent value first."""
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[str(row.get(key, ""))].append(row)
    return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))


def _numbers(rows: Iterable[Row], key: str) -> list[float]:
    return [float(v) for row in rows if isinstance(v := row.get(key), int | float)]


def _list(row: Row, key: str) -> list[Json]:
    value = row.get(key)
    return value if isinstance(value, list) else []
