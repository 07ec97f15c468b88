"""Type arguments that calls leave to inference, written out where nothing lets them be inferred."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grammar_ops.edit import Span
from grammar_ops.op import ImportWish
from grammar_ops.reject import Json
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes, uses
from grammar_ops.syntax.callsites import CallSite, Passing
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.elsewhere import list_type_names
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.shapes import Slot, type_params
from grammar_ops.syntax.typefacts import rows


def instantiate(
    scope: Scope, rewrite_of: Callable[[str], Rewrite], sites: Sequence[CallSite],
    decl: Decl, passing: Passing,
) -> None:  # fmt: skip
    """Write the type arguments of every call of a function whose parameters tell of them no more.

    Reject(call_site_unreadable) for a type that has no name there.
    """
    if decl.kind != "func" or nodes.find_field(decl.node, "type_parameters") is None:
        return
    own = type_params(decl, scope.source(decl.path))
    if not own & (_named(passing.old) - _named(passing.new)):
        return
    for site in sites:
        path, call = site.ref.path, nodes.span_of(site.call.node)
        question: dict[str, Json] = {"kind": "call_targets", "file": path}
        answer = scope.ask({**question, "start": call.start, "end": call.end})
        found = answer.get("type_args")
        if answer.get("hidden") or not isinstance(found, list) or not found:
            detail = f"{decl.sym}: a type argument that can't be written there"
            raise uses.reject_at(scope, "call_site_unreadable", detail, [site.ref])
        # What stands in brackets already is written anew with the rest.
        at = site.ref.span.end
        given = scope.source(path)[at : site.call.opening.start_byte]
        end = at + given.rfind(b"]") + 1 if given.startswith(b"[") else at
        text = f"[{', '.join(map(str, found))}]"
        rewrite = rewrite_of(path)
        rewrite.cut(Span(at, end), text.encode())
        for row in rows(answer, "imports"):
            rewrite.wishes.append(ImportWish(path, str(row["path"]), str(row.get("name") or "")))


def _named(listed: Sequence[Slot]) -> set[str]:
    return {name for slot in listed for name in list_type_names(slot.type)}
