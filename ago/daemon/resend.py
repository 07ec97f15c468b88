"""Repeated refusals: the same request sent again unchanged is answered more firmly each time.

Invariant: only refusals count; any other outcome of a request forgets it.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from hashlib import sha256

import orjson

from grammar_ops.reject import Json, Reject

REMEMBERED = 512
_NUMBER = re.compile(r"\d+")


class Resends:
    """How often each request was refused, for the last requests of all clients."""

    def __init__(self) -> None:
        self._refused: OrderedDict[str, tuple[str, int]] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, request: str, why: str = "") -> int:
        """Note one more refusal of `request`; how often it had been refused so before.

        Another `why` is no repetition: something was mended meanwhile.
        """
        with self._lock:
            last, before = self._refused.pop(request, ("", 0))
            before = before if last == why else 0
            self._refused[request] = why, before + 1
            if len(self._refused) > REMEMBERED:
                self._refused.popitem(last=False)
            return before

    def forget(self, request: str) -> None:
        """`request` had another outcome."""
        with self._lock:
            self._refused.pop(request, None)


def request_key(tool: str, args: dict[str, Json]) -> str:
    """The same 16 hex digits for the same request, whatever the order of its keys."""
    canonical = orjson.dumps([tool, args], option=orjson.OPT_SORT_KEYS)
    return sha256(canonical).hexdigest()[:16]


def cause(reject: Reject) -> str:
    """What a refusal is for, however long it took to find out."""
    found = [finding.msg for finding in reject.diagnostics] or [_NUMBER.sub("", reject.detail)]
    return "\n".join([reject.reason, *found])


def escalation(resent: int, has_repairs: bool) -> str:
    """What to tell a caller that sent the same refused request again."""
    advice = "change the arguments, or look again with view or search"
    if has_repairs:
        advice = "send one of possible_repairs as it stands"
    if resent > 1 and has_repairs:
        advice = "go another way: possible_repairs are now of another kind"
    times = "once" if resent == 1 else f"{resent} times"
    return f"refused {times} before, unchanged: it will be refused again; {advice}"
