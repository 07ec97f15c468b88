"""move_decl: move declarations to another package, or to another file of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pydantic import Field

from grammar_ops.op import DeclOp, Notes, Plan
from grammar_ops.reject import Finding, Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import families
from grammar_ops.syntax.constants import write_values
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.destination import Destination, find_destination
from grammar_ops.syntax.fixtures import list_left
from grammar_ops.syntax.linking import warn_of_linker
from grammar_ops.syntax.movers import list_helpers, list_tests
from grammar_ops.syntax.moving import land, list_moved, plan_move, refuse_bound, relocation_of
from grammar_ops.syntax.parcels import Parcel, list_package, pack, with_methods
from grammar_ops.syntax.relocation import relocate
from grammar_ops.syntax.sealed import refuse_parted
from grammar_ops.syntax.spots import find_spot


class MoveDecl(DeclOp):
    """Move declarations with their docs and methods; every use everywhere follows."""

    op: Literal["move_decl"] = "move_decl"
    syms: list[str] = Field(default=[], description="several declarations, instead of sym")
    to_pkg: str = Field("", description="package it goes to: import path, suffix or folder")
    to_file: str = Field("", description="file it goes to, of to_pkg or of its own package")
    after: str = Field("", description="stand after this declaration, also of the same file")
    before: str = Field("", description="stand before this declaration")
    create_pkg: bool = Field(False, description="make the package when there is none")
    pkg_name: str = Field("", description="name of a package that is made, unless its path says it")
    with_tests: bool = Field(False, description="also the tests, benchmarks and examples of it")
    with_helpers: bool = Field(False, description="also unexported declarations that only it uses")
    export: bool = Field(False, description="export unexported names that the move parts from uses")
    explicit_values: bool = Field(
        False, description="take const groups apart: write out what iota or the line above gave"
    )

    keeps_meaning = True
    every_twin = True
    reasons = {
        "to_pkg_required": "say where to: to_pkg, to_file, after or before",
        "runs_where_it_is": "init, main and blank declarations can't be addressed elsewhere",
    }
    example = [{"op": "move_decl", "pkg": "demo/sig", "sym": "Fetch", "to_pkg": "demo/lib"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan what goes, where it lands, and how every name is written afterwards."""
        to = self._find_destination(scope)
        parcels = self._collect(scope)
        refuse_bound(scope, parcels, to)
        refuse_parted(scope, parcels, to.pkg)
        home = to.pkg if self.to_pkg else self.pkg
        spot = find_spot(scope, home, self.after, self.before, parcels)
        placed = self._list_placed(scope, parcels) if spot else []
        landed = land(scope, parcels, to, spot.path if spot else self.to_file, placed)
        move = relocation_of(scope, landed, to, export=self.export)
        outcome = relocate(move)
        written, wishes = write_values(move, parcels)
        edits, imports = (*written, *outcome.edits), (*outcome.wishes, *wishes)
        outcome = outcome._replace(edits=edits, wishes=imports)
        plan = plan_move(move, outcome, landed, spot)
        to_syms = {r.sym: r.to for r in outcome.renames if "." not in r.sym}
        moved = [m for m in move.members if m.pkg != m.to_pkg]
        named = {m: to_syms.get(m.sym, m.sym) for m in list_moved(move, landed)}
        notes = Notes(references=outcome.references, moved=sorted(m.sym for m in named))
        notes |= Notes(exported=[r.sym for r in outcome.renames]) if outcome.renames else {}
        return replace(
            plan,
            touches=tuple((m.to_pkg, sym) for m, sym in named.items()),
            gone=tuple((m.pkg, m.sym) for m in moved),
            warnings=(
                *list_left(scope, ((r.path, r.span, r.target) for r in move.regions)),
                *self._warn_of_linker(scope, parcels, to.pkg),
            ),
            notes=notes,
        )

    def _warn_of_linker(
        self, scope: Scope, parcels: list[Parcel], to_pkg: str
    ) -> Iterator[Finding]:
        """Tell of the recipes that set a variable by the package which it leaves."""
        for parcel in parcels:
            for decl in parcel.decls if parcel.pkg != to_pkg else ():
                yield from warn_of_linker(scope, parcel.pkg, decl, f"in {to_pkg}")

    def _find_destination(self, scope: Scope) -> Destination:
        folder, _, _ = self.to_file.rpartition("/")
        if not (self.to_pkg or self.to_file or self.after or self.before):
            raise Reject("to_pkg_required")
        wanted = self.to_pkg or folder or self.pkg
        return find_destination(
            scope,
            self.pkg,
            wanted.removesuffix("_test"),
            create=self.create_pkg,
            name=self.pkg_name,
        )

    def _list_placed(self, scope: Scope, parcels: list[Parcel]) -> list[Parcel]:
        """What was asked for by name: it moves in its own file too, its methods do not."""
        asked = {(d.path, d.name_span) for d in self._resolve(scope)}
        return [p for p in parcels if not asked.isdisjoint((d.path, d.name_span) for d in p.decls)]

    def _resolve(self, scope: Scope) -> list[Decl]:
        return [scope.resolve_decl(self.pkg, sym) for sym in self.syms or [self.sym]]

    def _collect(self, scope: Scope) -> list[Parcel]:
        known = list_package(scope, self.pkg)
        asked = self._resolve(scope)
        alone = [d for d in asked if d.kind == "method"]
        if bound := [d.sym for d in asked if d.sym in ("init", "_", "main") and d.kind == "func"]:
            raise Reject("runs_where_it_is", ", ".join(bound))
        if alone and self.to_pkg:
            raise Reject("move_top_level_only", ", ".join(d.sym for d in alone))
        if self.to_pkg:
            asked += [twin for d in asked for twin in families.list_twins(scope, self.pkg, d)]
        movers = with_methods(scope, asked, known)
        if self.with_helpers:
            movers += list_helpers(scope, self.pkg, movers)
        parcels = pack(scope, self.pkg, movers, parts=self.explicit_values)
        for pkg, test in list_tests(scope, self.pkg, movers) if self.with_tests else ():
            parcels += pack(scope, pkg, [test])
        return parcels
