"""Once: an edit that is sent again under its key is answered again, and not made again.

Invariant: a key that names an accepted edit never makes another one, across restarts too.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from grammar_ops.reject import Json, Reject, register

register("daemon", {"key_reused": "the idempotency key belongs to another edit"})

REMEMBERED = 256


class Once:
    """The answers to accepted edits by key; those of earlier processes by their history."""

    def __init__(self, find_edit: Callable[[str], int]) -> None:
        """`find_edit` gives the number of the edit with a key in the history, 0 without one."""
        self._find_edit = find_edit
        self._answers: OrderedDict[str, tuple[str, dict[str, Json]]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: str, request: str) -> dict[str, Json] | None:
        """The answer that the key's edit had; Reject key_reused where that was another request."""
        with self._lock:
            known = self._answers.get(key)
        if known is None:
            edit = self._find_edit(key)
            return {"status": "accepted", "edit": edit, "repeated": True} if edit else None
        if known[0] != request:
            raise Reject("key_reused", key)
        return {**known[1], "repeated": True}

    def keep(self, key: str, request: str, body: dict[str, Json]) -> None:
        """Remember the answer to an accepted edit."""
        with self._lock:
            self._answers[key] = request, body
            if len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
