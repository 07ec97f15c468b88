"""upsert_decl: replace a declaration by a text, or add the declaration to its package."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import ImportSpec
from grammar_ops.op import DeclOp, ImportWish, Notes, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.landing import MISSES, land_new
from grammar_ops.syntax.newdecl import parse_new_decl, replace_decl

_NEVER_REPLACED = ("_", "init")


class UpsertDecl(DeclOp):
    """Replace the declaration that the text names, or add it; a doc the text lacks is kept."""

    op: Literal["upsert_decl"] = "upsert_decl"
    text: str = Field(description="one whole Go declaration, doc comment allowed")
    imports: list[ImportSpec] = Field(default=[], description="imports with an alias or a choice")

    takes_sym = False  # the text names the declaration
    example = [
        {
            "op": "upsert_decl", "pkg": "demo/lib",
            "text": "// Double doubles v.\nfunc Double(v int) int {\n\treturn v + v\n}",
        }
    ]  # fmt: skip

    def plan(self, scope: Scope) -> Plan:
        """Plan the replacement, or the place of a new declaration."""
        new = parse_new_decl(scope, self.text)
        old = find_old(scope, self.pkg, new.sym)
        if old is not None:
            edit, action = replace_decl(scope.source(old.path), old, new), "replaced"
        else:
            edit, action = land_new(scope, self.pkg, new)
        wishes = tuple(ImportWish(edit.path, spec.path, spec.name) for spec in self.imports)
        touches = ((self.pkg, new.sym),)
        return Plan((edit,), touches=touches, imports=wishes, notes=Notes(action=action))


def find_old(scope: Scope, pkg: str, sym: str) -> Decl | None:
    """The declaration of exactly this address; promoted members and fields are not it."""
    if sym in _NEVER_REPLACED or scope.find_package(pkg) is None:
        return None
    try:
        found = scope.resolve_decl(pkg, sym)
    except Reject as miss:
        if miss.reason in MISSES:
            return None
        raise
    same = found.sym == sym and found.kind not in ("field", "interface_method")
    return found if same else None
