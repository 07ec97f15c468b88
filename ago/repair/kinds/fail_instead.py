"""fail_instead: in a function that returns no error, a test or the program ends on one."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, unchecked
from grammar_ops.reject import Repair
from grammar_ops.syntax.errortext import quote

REASONS = ("func_returns_no_error",)


def build(refused: Refused) -> Iterator[Repair]:
    """The same call with a statement in the place of the return."""
    fail, op = str(refused.reject.facts.get("fail") or ""), refused.op or {}
    if not fail or op.get("args"):
        return
    message = str(op.get("message") or op["op"]).replace("%", "%%")
    failed = quote(f"{message}: %v")
    call = refused.with_op(drop="message", instead=f"{fail}({failed}, err)")
    yield unchecked("the function returns no error: it ends there", call)
