"""set_body: replace the body of a function or method."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoStmts
from grammar_ops.edit import Edit, Span
from grammar_ops.op import DeclOp, Plan
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.bodies import body_of_function, check_body
from grammar_ops.syntax.decls import resolve_body
from grammar_ops.syntax.signature import signature_tokens


class SetBody(DeclOp):
    """Replace the body of a function or method; the signature stays."""

    op: Literal["set_body"] = "set_body"
    body: GoStmts = Field(description="the statements, or the whole function as it should read")

    reasons = {
        "body_does_not_parse": "the body is no list of Go statements",
        "signature_changed": "the text changes the signature: set_signature does that",
    }
    example = [{"op": "set_body", "sym": "Double", "body": "return v + v"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the replacement of what stands between the braces."""
        decl = scope.resolve_decl(self.pkg, self.sym)
        block, src = resolve_body(decl), scope.source(decl.path)
        whole = body_of_function(scope, self.body)
        lines = self.body.strip("\r\n").rstrip()
        text = f"\n{lines}\n" if lines else "\n"
        if whole is not None:
            old, new = signature_tokens(decl.node, src), signature_tokens(whole.node, whole.src)
            if old != new:
                facts = {
                    "text": self.body, "signature": whole.head, "body": whole.body,
                    "pkg": self.pkg, "sym": decl.sym,
                }  # fmt: skip
                raise Reject("signature_changed", f"{decl.sym}: {' '.join(new)}", facts={**facts})
            text = whole.body
        complaint = check_body(scope, text)
        if complaint is not None:
            raise Reject("body_does_not_parse", complaint)
        inner = Span(block.start_byte + 1, block.end_byte - 1)
        return Plan((Edit(decl.path, inner, text.encode()),), touches=((self.pkg, decl.sym),))
