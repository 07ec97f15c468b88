"""Naming: what a patch calls things now, and what the base called them.

Invariant: renames and moves are maps from the base, whatever the order of the ops that made them.
"""

from __future__ import annotations

from collections.abc import Callable

from ago.stages import name_after
from grammar_ops.op import Plan

Stands = Callable[[str, str], bool]
"""Whether what the base called `pkg.sym` stands there yet, its name untouched."""


class Naming:
    """The names and packages that the ops of one patch have given."""

    def __init__(self, stands: Stands) -> None:
        """Nothing is called otherwise yet."""
        self._stands = stands
        self.renames: list[tuple[str, str, str]] = []
        """(pkg, name in the base, new last part)."""
        self.moves: list[tuple[str, str, str]] = []
        """(pkg, name in the base, package it goes to); the name of a package itself is empty."""
        self._by_op: dict[int, dict[tuple[str, str], str]] = {}

    def learn(self, plan: Plan, number: int) -> None:
        """Take note of what a plan, op `number`, is about to rename and to move."""
        homes = [(*self.was(moved.pkg, moved.sym), moved.to_pkg) for moved in plan.moves]
        given = self._by_op.setdefault(number, {})
        for renamed in plan.renames:
            if renamed.sym.startswith("."):  # a local: it has a place and no address
                given[renamed.pkg, renamed.sym] = renamed.to
                self.renames.append((renamed.pkg, renamed.sym, renamed.to))
                continue
            home, base = self.was(renamed.pkg, renamed.sym)
            given[home, base] = renamed.to
            self.renames = [r for r in self.renames if r[:2] != (home, base)]
            if base.rpartition(".")[2] != renamed.to:
                self.renames.append((home, base, renamed.to))
        for pkg, sym, to_pkg in homes:
            self.moves = [m for m in self.moves if m[:2] != (pkg, sym)]
            if pkg != to_pkg:
                self.moves.append((pkg, sym, to_pkg))

    def was(self, pkg: str, sym: str) -> tuple[str, str]:
        """Package and name in the base of what is `pkg.sym` now."""
        top, dot, rest = sym.partition(".")
        for home, base, to_pkg in self.moves:
            if to_pkg == pkg and name_after(self.renames, home, base) == top:
                return home, self._base_of(home, f"{top}{dot}{rest}")
        return pkg, self._base_of(pkg, sym)

    def now(self, pkg: str, sym: str) -> tuple[str, str]:
        """Package and name now of what the base calls `pkg.sym`."""
        top = sym.partition(".")[0]
        home = next((to for *old, to in self.moves if old == [pkg, top]), pkg)
        return home, name_after(self.renames, pkg, sym)

    def others(self, pkg: str, sym: str) -> set[int]:
        """The ops that gave the last part of the name `sym` to anything else than `pkg.sym`."""
        mine, name = self.was(pkg, sym), sym.rpartition(".")[2]
        return {
            op for op, given in self._by_op.items() if mine not in given and name in given.values()
        }

    def _base_of(self, pkg: str, sym: str) -> str:
        """The name in the base of what is called `sym` now."""
        if not self.renames or self._stands(pkg, sym):
            return sym
        owner, _, last = sym.rpartition(".")
        base_owner = self._base_of(pkg, owner) if owner else ""
        for of, old, to in self.renames:
            old_owner, _, old_last = old.rpartition(".")
            if (of, old_owner, to) == (pkg, base_owner, last):
                last = old_last
                break
        return f"{base_owner}.{last}" if base_owner else last
