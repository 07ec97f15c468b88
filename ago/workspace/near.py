"""Near package paths: what a missed path may have meant.

Invariant: pure; the same misses give the same hints in the same order, best first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grammar_ops.near import LIMIT, near_pairs

_VERSION = re.compile(r"/v\d+$")


def near_packages(query: str, paths: Iterable[str], limit: int = LIMIT) -> list[str]:
    """Import paths with the query's words, with its last part as their end, or that look alike."""
    known = list(paths)
    slashed = query.replace(".", "/").strip("/")
    last = slashed.rpartition("/")[2]
    same = [p for p in known if p.replace(".", "/") == slashed]
    ends = [p for p in known if p == last or p.endswith("/" + last)]
    # A major version is no part of the name that people know a package by.
    ends += [p for p in known if _VERSION.search(p) and _VERSION.sub("", p).endswith("/" + last)]
    alike = near_pairs(last, ((p, p.rpartition("/")[2]) for p in known), limit)
    return list(dict.fromkeys([*same, *ends, *alike]))[:limit]
