"""Provisional imports: what an op writes has its packages when the next op is planned.

Invariant: the state of the end decides: what no op asked for by its path is chosen again then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from ago.patch.imports import (
    QUALIFIER,
    Missing,
    ask_imports,
    choose_import,
    ensure_import,
    list_missing,
    restore_form,
)
from ago.patch.judging import Checkers
from ago.patch.scope import DraftScope
from ago.patch.workbench import IMPORT_REPAIR, Workbench
from grammar_ops.edit import Edit
from grammar_ops.op import ImportWish
from grammar_ops.reject import Reject
from grammar_ops.syntax.imports import drop_import, list_imports, parse_head


class Provisional:
    """The imports that a patch needs between its ops."""

    def __init__(
        self, bench: Workbench, scope: DraftScope, checkers: Checkers, preferred: Collection[str]
    ) -> None:
        """None yet; `preferred` paths decide between candidates."""
        self._bench, self._scope, self._checkers = bench, scope, checkers
        self._preferred = preferred
        self._given: list[ImportWish] = []
        self._seen: set[tuple[str, bytes]] = set()
        """(file, name) of the qualifiers that the checker has been asked about."""

    def complete(self, edits: Collection[Edit]) -> None:
        """Give the files of a plan the imports that its text lacks, where one package fits."""
        written = {(edit.path, name) for edit in edits for name in _qualifiers(edit)} - self._seen
        files = [path for path in sorted({p for p, _ in written}) if self._lacks(path, written)]
        self._seen |= written
        if not self._checkers.typed or not files:
            return
        for path, answer in ask_imports(self._bench, self._checkers, files):
            for missing in list_missing(path, answer, self._scope):
                wish = self._choose(missing)
                if wish is not None:
                    ensure_import(self._bench, wish, IMPORT_REPAIR)
                    self._given.append(wish)

    def _lacks(self, path: str, written: Collection[tuple[str, bytes]]) -> bool:
        """Whether a file may lack an import, by what its imports seem to be called."""
        source = self._bench.find(path)
        if source is None:
            return False
        known = list_imports(parse_head(source), source)
        named = {(imp.name or imp.path.rpartition("/")[2]).encode() for imp in known}
        return any(of == path and name not in named for of, name in written)

    def confirm(self, wishes: Collection[ImportWish]) -> None:
        """Keep those that an op asks for by their paths."""
        self._given = [wish for wish in self._given if wish not in wishes]

    def withdraw(self) -> None:
        """Take the imports out again; what repairs imports sees to those that are still needed."""
        for wish in self._given:
            source = self._bench.find(wish.path)
            if source is None:
                continue
            tree = parse_head(source)
            for known in list_imports(tree, source):
                if (known.path, known.name) == (wish.import_path, wish.name):
                    self._bench.apply([drop_import(wish.path, tree, source, known)], IMPORT_REPAIR)
                    restore_form(self._bench, wish.path)

    def _choose(self, missing: Missing) -> ImportWish | None:
        with contextlib.suppress(Reject):
            return choose_import(missing, self._scope, self._preferred)
        return None


def _qualifiers(edit: Edit) -> set[bytes]:
    """The names that may be packages in a text for a Go file."""
    text = edit.text if edit.path.endswith(".go") else None
    return set(QUALIFIER.findall(text)) if text else set()
