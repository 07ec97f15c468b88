"""upsert_decl: replace a declaration by a text, or add the declaration to its package."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import ImportSpec
from grammar_ops.op import DeclOp, ImportWish, Notes, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.decls import SHARED_NAMES, Decl, find_decl
from grammar_ops.syntax.landing import MISSES, Place, land_at, land_new, resolve_file
from grammar_ops.syntax.newdecl import NewDecl, parse_new_decl, replace_decl


class UpsertDecl(DeclOp):
    """Replace the declaration that the text names, or add it; a doc the text lacks is kept."""

    op: Literal["upsert_decl"] = "upsert_decl"
    text: str = Field(description="one whole Go declaration or group, doc comment allowed")
    sym: str = Field("", description="what to replace where the text can't say: file.go:line")
    file: str = Field("", description="the file it belongs to, made if need be")
    after: str = Field("", description="a new one stands after this declaration")
    before: str = Field("", description="a new one stands before this declaration")
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
        place = Place(self.file, self.after, self.before)
        old = scope.resolve_decl(self.pkg, self.sym) if self.sym else self._find_old(scope, new)
        if old is not None:
            edit, action = replace_decl(scope.source(old.path), old, new), "replaced"
        elif place.is_given:
            edit, action = land_at(scope, self.pkg, new, place)
        else:
            edit, action = land_new(scope, self.pkg, new)
        wishes = tuple(ImportWish(edit.path, spec.path, spec.name) for spec in self.imports)
        touches = tuple((self.pkg, sym) for sym in new.syms)
        return Plan((edit,), touches=touches, imports=wishes, notes=Notes(action=action))

    def _find_old(self, scope: Scope, new: NewDecl) -> Decl | None:
        """The declaration with a name of the text; Reject(members_apart) for several of them."""
        path = resolve_file(scope, self.pkg, self.file) if self.file else ""
        found = [old for sym in new.syms if (old := find_old(scope, self.pkg, sym, path))]
        wholes = {
            (old.path, old.group.span if old.group and new.grouped else old.span) for old in found
        }
        if len(wholes) > 1:
            raise Reject("members_apart", ", ".join(old.sym for old in found))
        return found[0] if found else None


def find_old(scope: Scope, pkg: str, sym: str, path: str = "") -> Decl | None:
    """The declaration of exactly this address, in one file when a path is given; promoted members
    and fields are not it."""
    if sym in SHARED_NAMES or scope.find_package(pkg) is None:
        return None
    try:
        if path:
            found = find_decl(scope.tree(path), scope.source(path), sym, path)
        else:
            found = scope.resolve_decl(pkg, sym)
    except Reject as miss:
        if miss.reason in MISSES | {"file_not_found"}:
            return None
        raise
    if found is None or found.sym != sym or found.kind in ("field", "interface_method"):
        return None
    return found
