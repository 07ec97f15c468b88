"""set_head: write what a Go file begins with, and make the file where there is none."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.edit import Edit, Span
from grammar_ops.op import DeclOp, Notes, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.landing import resolve_file
from grammar_ops.syntax.parse import parse


class SetHead(DeclOp):
    """Write the top of a file: license, build constraint, package doc, clause, imports if given."""

    op: Literal["set_head"] = "set_head"
    file: str = Field(description="file of the package, made if need be")
    text: str = Field(description="from the first line to the package clause or the last import")

    takes_sym = False
    reasons = {
        "head_does_not_parse": "the text is not the beginning of a Go file",
        "head_declares": "the text goes on beyond the imports; declarations have ops of their own",
    }
    example = [
        {
            "op": "set_head", "pkg": "demo/lib", "file": "helper.go",
            "text": "// Copyright The Demo Authors.\n\npackage lib",
        }
    ]  # fmt: skip

    def plan(self, scope: Scope) -> Plan:
        """Plan the new beginning; imports stay where the text has none."""
        text = self.text.strip("\n").encode()
        complaint = scope.check_fragment("file", self.text)
        if complaint is not None:
            raise Reject("head_does_not_parse", complaint)
        end, has_imports = find_head_end(text)
        if text[end:].strip():
            raise Reject("head_declares", text[end:].decode().strip().partition("\n")[0])
        path = resolve_file(scope, self.pkg, self.file)
        try:
            old = scope.source(path)
        except Reject:
            edit = Edit(path, Span(0, 0), text + b"\n")
            return Plan((edit,), notes=Notes(action="created-file"))
        stop = find_head_end(old, with_imports=has_imports)[0]
        return Plan((Edit(path, Span(0, stop), text),), notes=Notes(action="replaced"))


def find_head_end(src: bytes, *, with_imports: bool = True) -> tuple[int, bool]:
    """Where the package clause ends, or the last import; and whether there is one."""
    tree = parse(src)
    clause = nodes.find_clause(tree)
    imports = [node for node in tree.root_node.children if node.type == nodes.IMPORT_DECL]
    last = imports[-1] if imports and with_imports else clause
    return docs.trailing_end(src, last) if last else 0, bool(imports)
