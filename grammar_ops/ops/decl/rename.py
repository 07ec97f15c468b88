"""rename: give a declaration a new name, in every place that refers to it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoName
from grammar_ops.edit import Edit
from grammar_ops.op import Ceiling, DeclOp, Notes, Plan, Renamed, Together
from grammar_ops.reject import Reject
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax import examples, families, uses
from grammar_ops.syntax.decls import Decl, find_package_name
from grammar_ops.syntax.names import resolve_new_name, run_kind


class Rename(DeclOp):
    """Rename a declaration with all references, doc links, the first word of its doc, examples."""

    op: Literal["rename"] = "rename"
    to: GoName
    implementors: bool = Field(False, description="rename all methods that interfaces tie to it")

    keeps_meaning = True
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
        """Plan one edit for each identifier that means the object, or a field named by it."""
        decl = scope.resolve_decl(self.pkg, self.sym)
        to = resolve_new_name(self.pkg, decl.sym, self.to)
        self._refuse(scope, decl, to)
        renames, refs = [Renamed(self.pkg, decl.sym, to)], list_own(scope, self.pkg, decl)
        if decl.kind in ("type", "alias"):
            for field in scope.related(self.pkg, decl.sym, "embedded_fields"):
                if field.sym.rpartition(".")[2] == decl.name:
                    renames.append(Renamed(field.pkg, field.sym, to))
                    refs += uses.list_refs(scope, field.pkg, field.sym)
        together = None
        if decl.kind in ("method", "interface_method"):
            tied = families.list_tied(scope, self.pkg, decl)
            for other in tied if self.implementors else ():
                renames.append(Renamed(other.pkg, other.sym, to))
                refs += uses.list_refs(scope, other.pkg, other.sym)
            if tied:
                reject = families.refuse_split(scope, self.pkg, decl, tied)
                together = Together(tuple((m.pkg, m.sym) for m in tied), reject)
        written = written_refs(scope, refs, decl.name)
        edits = tuple(Edit(ref.path, ref.span, to.encode()) for ref in written)
        for example in examples.list_examples(scope, self.pkg, decl.sym, to):
            renames.append(Renamed(example.pkg, example.decl.sym, example.to))
            shown = list_own(scope, example.pkg, example.decl)
            edits += tuple(
                Edit(ref.path, ref.span, example.to.encode())
                for ref in written_refs(scope, shown, example.decl.name)
            )
        code = [ref for ref in written if ref.role not in uses.DOC_ROLES]
        generated = uses.list_generated(written)
        sym = decl.sym.removesuffix(decl.name) + to
        return Plan(
            edits,
            touches=((self.pkg, sym),),
            gone=((self.pkg, decl.sym),),
            renames=tuple(renames),
            together=together,
            notes=Notes(references=len(code)) | (Notes(generated=generated) if generated else {}),
        )

    def _refuse(self, scope: Scope, decl: Decl, to: str) -> None:
        """Names that change nothing, or that change what runs."""
        if to == decl.name:
            raise Reject("already_named", f"{decl.sym} is called {to}")
        if decl.embedded:
            raise self.ceiling("embedded_field", decl.sym)
        if uses.is_in_assembly(scope, self.pkg, decl.sym):
            raise self.ceiling("named_in_assembly", decl.sym)
        if decl.kind == "func":
            package = find_package_name(scope.tree(decl.path), scope.source(decl.path))
            place = decl.path.endswith("_test.go"), package == "main"
            if run_kind(decl.name, *place) != run_kind(to, *place):
                raise Reject("runs_by_name", f"{decl.name} to {to}")


def list_own(scope: Scope, pkg: str, decl: Decl) -> list[Ref]:
    """The references to a declaration, its own identifier among them."""
    own = Ref(decl.path, decl.name_span, "def", "")
    refs = uses.list_refs(scope, pkg, decl.sym)
    return refs if any(r[:2] == own[:2] for r in refs) else [own, *refs]


def written_refs(scope: Scope, refs: list[Ref], name: str) -> list[Ref]:
    """One reference for each place where the name is written (an embedded field has two)."""
    by_place = {(ref.path, ref.span): ref for ref in refs}
    return [
        ref
        for (path, span), ref in sorted(by_place.items())
        if scope.source(path)[span.start : span.end] == name.encode()
    ]
