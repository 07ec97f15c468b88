"""Twins: declarations of one address in several files, as each system or tag has its own.

Invariant: an op that edits one declaration never chooses between twins; a position does.
"""

from __future__ import annotations

from ago.facts import read
from ago.facts.read import ObjectRecord
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Reject


class Twins:
    """Which file each ambiguous address of one op means."""

    def __init__(self, snapshot: Snapshot) -> None:
        """No op is planned yet."""
        self._snapshot = snapshot
        self._files: dict[tuple[str, str], str] = {}
        self._all = False

    def begin(self, *, every: bool) -> None:
        """Another op is planned; `every`: it speaks of all declarations of an address at once."""
        self._files.clear()
        self._all = every

    def choose(self, pkg: str, sym: str, path: str) -> None:
        """The op means the declaration in this file."""
        self._files[pkg, sym] = path

    def chosen(self, pkg: str, sym: str) -> str:
        """The file whose declaration is meant, "" when none was chosen."""
        return self._files.get((pkg, sym), "")

    def find(self, pkg: str, sym: str) -> ObjectRecord | None:
        """What the facts know of the declaration that is meant; of twins the own build's."""
        if not self._snapshot.typed:
            return None
        records = read.find_objects(self._snapshot.facts, pkg, sym)
        path = self.chosen(pkg, sym)
        return next((r for r in records if r.path == path), records[0] if records else None)

    def refuse(self, pkg: str, sym: str) -> None:
        """Reject ambiguous_address where an op has to say which of several it means."""
        if self._all or self.chosen(pkg, sym) or not self._snapshot.typed:
            return
        if len(list_places(self._snapshot, pkg, sym)) < 2:
            return
        self._snapshot.await_contexts([pkg])  # one that is behind may know an old place
        places = list_places(self._snapshot, pkg, sym)
        if len(places) > 1:
            detail = f"{pkg}.{sym} is declared in {len(places)} files, for different builds"
            raise Reject("ambiguous_address", detail, did_you_mean=places)


def list_places(snapshot: Snapshot, pkg: str, sym: str) -> tuple[str, ...]:
    """`file.go:line` of each declaration of an address, the own build's first."""
    records = read.find_objects(snapshot.facts, pkg, sym) if snapshot.typed else []
    return tuple(dict.fromkeys(f"{r.path}:{r.name_line}" for r in records))
