"""add_field: add a field to a struct, and its value to the literals that list all values."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoExpr, GoName, GoType
from grammar_ops.near import near_names
from grammar_ops.op import DeclOp, ImportWish, Notes, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, structs
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.fragment import check_expr, check_type, is_identifier
from grammar_ops.syntax.names import embedded_field_name
from grammar_ops.syntax.rewrite import gather
from grammar_ops.syntax.structs import Struct
from grammar_ops.syntax.tags import list_repeated


class AddField(DeclOp):
    """Add a field behind the others of a struct; without a name its type is embedded."""

    op: Literal["add_field"] = "add_field"
    name: GoName = Field("", description="its name; empty embeds the type")
    type: GoType
    tag: str = Field("", description="its tag, without quotes")
    doc: str = Field("", description="its doc, without comment marks")
    after: str = Field("", description="the field that it goes behind, instead of the last")
    first: bool = Field(False, description="put it before all others")
    default: GoExpr = Field("", description="value for literals that list values without names")

    reasons = {
        "bad_field_name": "the field's name is no Go identifier, or its type can't be embedded",
        "field_type_required": "a field needs a type",
        "field_exists": "the struct has a field or method of that name already",
        "field_not_found": "the struct has no field of that name to go behind",
        "bad_tag": "a tag holds no line break",
    }
    example = [{"op": "add_field", "sym": "Store", "name": "Tag", "type": "string"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the field, and its value in every literal without field names."""
        decl = scope.resolve_decl(self.pkg, self.sym)
        struct = structs.resolve_struct(scope, decl)
        line, at = self._line(scope, struct), self._place(struct)
        src = scope.source(decl.path)
        lines = [*docs.render_doc(self.doc).splitlines(), line]
        edits, notes = [structs.insert_field(src, struct, lines, at)], Notes()
        imports: tuple[ImportWish, ...] = ()
        if self.default:
            check_expr(scope, self.default, "default")
            literals = structs.list_unkeyed(scope, self.pkg, struct)
            home = self.pkg, decl.path
            filled = structs.rewrite_literals(scope, literals, at, self.default, home)
            more, imports = gather(filled)
            edits += more
            notes = Notes(literals_updated=len(literals))
        warnings = list_repeated(src, struct, self.tag)
        touches = ((self.pkg, decl.sym),)
        return Plan(
            tuple(edits), touches=touches, imports=imports, warnings=tuple(warnings), notes=notes
        )

    def _line(self, scope: Scope, struct: Struct) -> str:
        """The field as it is written; Reject what can't be a field of the struct."""
        if not self.type.strip():
            raise Reject("field_type_required", self.name)
        type_ = check_type(scope, self.type, "type")
        name = self.name or embedded_field_name(type_)
        if not is_identifier(name):
            raise Reject("bad_field_name", self.name or type_)
        taken = structs.find_field(struct, name) if name != "_" else None
        taken = taken or find_method(scope, self.pkg, struct.decl, name)
        if taken is not None:
            at = point_at(scope.source(taken.path), taken.path, taken.name_span.start, taken.sym)
            raise Reject("field_exists", taken.sym, diagnostics=(at,))
        if "\n" in self.tag:
            raise Reject("bad_tag", self.tag)
        return " ".join(filter(None, (self.name, type_, quote_tag(self.tag))))

    def _place(self, struct: Struct) -> int:
        """Before which name of the struct the new one goes."""
        if not self.after:
            return 0 if self.first else len(struct.fields)
        mate = structs.find_field(struct, self.after)
        if mate is None:
            near = near_names(self.after, {f.name: None for f in struct.fields})
            raise Reject("field_not_found", self.after, did_you_mean=tuple(near))
        same = [i for i, f in enumerate(struct.fields) if f.span == mate.span]
        return same[-1] + 1


def find_method(scope: Scope, pkg: str, owner: Decl, name: str) -> Decl | None:
    """The method of a type that has a name."""
    if owner.kind != "type" or scope.find_object(pkg, f"{owner.sym}.{name}") is None:
        return None
    found = scope.resolve_decl(pkg, f"{owner.sym}.{name}")
    return found if found.kind == "method" else None


def quote_tag(tag: str) -> str:
    """A tag as a string literal."""
    bare = tag.strip().strip("`")
    if not bare:
        return ""
    escaped = bare.replace("\\", "\\\\").replace('"', '\\"')
    return f"`{bare}`" if "`" not in bare else f'"{escaped}"'
