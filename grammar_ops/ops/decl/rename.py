"""rename: give a declaration, a local, an import or a package a new name, wherever it is used."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoName, Handle
from grammar_ops.op import Ceiling, DeclOp, Notes, Plan, Renamed, Together
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import (
    examples,
    families,
    folders,
    identifiers,
    linking,
    packages,
    reflection,
    renaming,
    uses,
)
from grammar_ops.syntax.identifiers import CLAUSE, Named
from grammar_ops.syntax.names import resolve_new_name


class Rename(DeclOp):
    """Rename a declaration with all references, doc links, the first word of its doc, examples.

    A position as sym is the name that stands there: a local, label, import or package, too.
    """

    op: Literal["rename"] = "rename"
    to: GoName
    local: str = Field("", description="a local, parameter, label of sym; of a file, an import")
    at: Handle = Field("", description="statement that declares the local, where several do")
    implementors: bool = Field(False, description="rename all methods that interfaces tie to it")
    move_folder: bool = Field(True, description="of a package, also the folder that bears its name")

    takes_place = True
    keeps_meaning = True
    every_twin = True
    ceilings = (
        Ceiling("embedded_field", "an embedded field is named by its type: rename the type"),
        Ceiling("named_in_assembly", "a name that assembly or C refers to can't be renamed"),
    )
    reasons = {
        "already_named": "the declaration has this name",
        "runs_by_name": "the go command finds and runs the function by its name",
    }
    example = [{"op": "rename", "sym": "Double", "to": "Twice"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan one edit for each identifier that means what is addressed."""
        named = self._named(scope)
        if named is None:
            return self._plan_object(scope, self.pkg, self.sym)
        if named.kind == CLAUSE:
            return self._plan_package(scope, named.pkg)
        if named.sym:
            return self._plan_object(scope, named.pkg, named.sym)
        return self._plan_local(scope, named)

    def _named(self, scope: Scope) -> Named | None:
        """What a position, or the name of a local, means; None for a plain address."""
        if not self.sym:
            return Named("", renaming.NOWHERE, CLAUSE, self.pkg)
        if not self.local:
            place = scope.find_place(self.pkg, self.sym)
            return identifiers.resolve_at(scope, place) if place else None
        file = scope.find_place(self.pkg, f"{self.sym}:1")
        if file is not None:
            return identifiers.resolve_import(scope, file.path, self.local)
        decl = scope.resolve_decl(self.pkg, self.sym)
        within = scope.resolve_target(self.pkg, self.sym, self.at).node if self.at else decl.node
        return identifiers.resolve_local(scope, decl.path, within, self.local)

    def _plan_object(self, scope: Scope, pkg: str, sym: str) -> Plan:
        """Plan the mentions of a declaration, and of fields, examples and methods tied to it."""
        decl = scope.resolve_decl(pkg, sym)
        to = resolve_new_name(pkg, decl.sym, self.to)
        if to == decl.name:
            raise Reject("already_named", f"{decl.sym} is called {to}")
        if decl.embedded:
            raise self.ceiling("embedded_field", decl.sym)
        if uses.is_in_assembly(scope, pkg, decl.sym):
            raise self.ceiling("named_in_assembly", decl.sym)
        renaming.refuse_run_change(scope, decl, to)
        examples.refuse_stray(scope, pkg, decl, to)
        tied = families.list_tied(scope, pkg, decl)
        others = dict.fromkeys((m.pkg, m.sym) for m in tied if self.implementors)
        taken = [(pkg, decl.sym), *others]
        changes = renaming.object_changes(scope, decl, taken, to)
        together = None
        if tied:
            reject = families.refuse_split(scope, pkg, decl, tied)
            together = Together(tuple((m.pkg, m.sym) for m in tied), reject)
        return Plan(
            changes.edits,
            touches=((pkg, decl.sym.removesuffix(decl.name) + to),),
            gone=((pkg, decl.sym),),
            renames=changes.renames,
            together=together,
            warnings=(
                *reflection.warn_of_names(scope, pkg, decl, to),
                *linking.warn_of_linker(scope, pkg, decl, to),
            ),
            unproven=tuple(reflection.list_by_name(scope, pkg, decl)),
            notes=changes.notes,
        )

    def _plan_local(self, scope: Scope, named: Named) -> Plan:
        """Plan the mentions of what has no address."""
        edits = renaming.local_edits(scope, named, self.to)
        around, pkg = identifiers.enclosing_of(scope, named), scope.package_of(named.path) or ""
        return Plan(
            tuple(edits),
            touches=((pkg, around.sym),) if around else (),
            renames=(Renamed(pkg, renaming.key_of(scope, named), self.to),),
            notes=Notes(references=len(edits)),
        )

    def _plan_package(self, scope: Scope, pkg: str) -> Plan:
        """Plan the clauses of a package and the qualifiers in its importers."""
        info = scope.find_package(pkg)
        if info is None:
            raise Reject("package_not_found", pkg)
        edits = packages.package_edits(scope, info, self.to)
        pairs = ((info.name, self.to), (f"{info.name}_test", f"{self.to}_test"))
        renames = tuple(Renamed(pkg, f".package.{old}", to) for old, to in pairs)
        plan = Plan(tuple(edits), renames=renames, notes=Notes(references=len(edits)))
        folder = folders.find_folder(scope, info, self.to) if self.move_folder else None
        return plan if folder is None else folders.move_folder(scope, folder, plan)
