"""set_doc: write, replace or remove a doc comment."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.edit import Edit, Span
from grammar_ops.op import DeclOp, Plan
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs
from grammar_ops.syntax.layout import line_indent


class SetDoc(DeclOp):
    """Set the doc comment of a declaration, group member, field or interface method."""

    op: Literal["set_doc"] = "set_doc"
    text: str = Field(description="doc text without comment marks; empty removes the doc")

    example = [{"op": "set_doc", "sym": "Double", "text": "Double doubles v."}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the new comment; directives in the old one stay, below it."""
        decl = scope.resolve_decl(self.pkg, self.sym)
        src, start = scope.source(decl.path), decl.span.start
        indent = line_indent(src, start)
        old = src[decl.full_span.start : start].decode()
        kept = "".join(f"{indent}{line}\n" for line in docs.list_directives(old))
        text = docs.render_doc(self.text, indent) + kept
        at = docs.line_start(src, decl.full_span.start)
        span, new = Span(at, docs.line_start(src, start)), text
        if not docs.begins_line(src, start):
            span, new = Span(start, start), f"\n{text}{indent}" if text else ""
        edit = Edit(decl.path, span, new.encode())
        return Plan((edit,), touches=((self.pkg, decl.sym),))
