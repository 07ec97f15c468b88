"""The tests that reach what changed since an edit or a commit.

Invariant: a test that a changed declaration can make fail is among them; where a change is of no
declaration (a file's head, `init`, the build) every test of the packages that it reaches is.
Invariant: of other files those count that a package embeds or that lie in its `testdata`.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ago.facts.read import find_symbol, members_of
from ago.facts.satisfaction import load_satisfaction
from ago.queries.diff import DeclChange, changes_since
from ago.queries.importers import reaching
from ago.queries.resources import changed_resources
from ago.queries.tests_for import ReachingTest, list_tests, tests_of
from ago.queries.uses import name_of
from ago.workspace.since import texts_since
from ago.workspace.snapshot import Snapshot

_BUILD = "build file"


class Affected(NamedTuple):
    """What changed, and the tests that reach it, nearest first."""

    since: str
    changes: int
    tests: list[ReachingTest]


def list_affected(snapshot: Snapshot, since: str) -> Affected:
    """The tests that reach what changed since an edit number or a revision, "" for HEAD."""
    compared = texts_since(snapshot, since)
    changes = [c for c in changes_since(snapshot, compared) if not _is_silent(c)]
    db = snapshot.facts
    starts = list[int]()
    whole = set[str]()
    for change in changes:
        symbols = _symbols(db, change)
        starts += symbols
        if not symbols:
            whole |= _packages(snapshot, change)
    resources = changed_resources(snapshot, compared)
    for resource in resources:
        starts += sorted(resource.variables - {0})
        whole |= resource.pkgs
    found = {test.symbol: test for test in list_tests(db, load_satisfaction(db), starts)}
    for test in tests_of(db, sorted(whole)):
        home = name_of(db, test.symbol)[0]
        found.setdefault(test.symbol, ReachingTest(0, home, test.sym, test.symbol, test.pkg))
    return Affected(compared.what, len(changes) + len(resources), sorted(found.values()))


def _is_silent(one: DeclChange) -> bool:
    """Whether a change is of comments alone, and of no directive in them."""
    change = one.change
    if change.kinds != ("doc",) or not change.old or not change.new:
        return False
    words = set(change.old.doc) ^ set(change.new.doc)
    return not any(word.startswith("//") and len(word) > len("//") for word in words)


def _symbols(db: sqlite3.Connection, one: DeclChange) -> list[int]:
    """The declaration that changed and its members; for a method that is gone, its type."""
    sym = one.sym if one.change.new else one.sym.rpartition(".")[0]
    symbol = find_symbol(db, one.pkg, sym) if sym else None
    if symbol is None:
        return []
    return [symbol, *members_of(db, symbol)]


def _packages(snapshot: Snapshot, one: DeclChange) -> set[str]:
    """The packages that a change of no declaration, or of a nameless one, may reach."""
    if _BUILD in one.change.kinds:
        return set(snapshot.packages())
    pkg = one.pkg.removesuffix("_test")
    return {pkg, *reaching(snapshot.facts, pkg)}
