"""References to an object, told apart by what an op may do with them.

Invariant: what is not written in the source (promotions, instances) is no reference here.
"""

from __future__ import annotations

from collections.abc import Sequence

from grammar_ops.edit import Span
from grammar_ops.op import Seen, StillUsed
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Ref, Scope
from grammar_ops.syntax.findings import point_refs

register(
    "grammar",
    {"referenced_outside_workspace": "a file outside the workspace refers to the object"},
)

DOC_ROLES = frozenset({"doc_link", "doc_name"})
CALL_ROLES = frozenset({"call", "go", "defer"})
# Not written in the source, or the declaration itself.
SILENT_ROLES = frozenset({"def", "promotion", "instance", "unkeyed", "import", "dot_import"})


def list_refs(scope: Scope, pkg: str, sym: str) -> list[Ref]:
    """Every reference to an object that is written somewhere in the workspace.

    Reject(referenced_outside_workspace) when one is in a file that no edit may touch.
    """
    found = [ref for ref in scope.refs(pkg, sym) if ref.span.start < ref.span.end]
    return list(dict.fromkeys(check_inside(scope, found)))


def check_inside(scope: Scope, refs: Sequence[Ref]) -> Sequence[Ref]:
    """The references; Reject(referenced_outside_workspace) as list_refs has it."""
    outside = [ref for ref in refs if ref.path.startswith(("/", "../"))]
    if outside:
        places = ", ".join(sorted({ref.path for ref in outside})[:3])
        raise reject_at(scope, "referenced_outside_workspace", places, outside)
    return refs


def is_in_assembly(scope: Scope, pkg: str, sym: str) -> bool:
    """Whether an assembly file of the package names the object; no position is known there."""
    info = scope.find_object(pkg, sym)
    return info is not None and "in_assembly" in info.flags


def reject_at(scope: Scope, reason: str, detail: str, refs: Sequence[Ref]) -> Reject:
    """A rejection that names the first positions of the references in its way."""
    return Reject(reason, detail, diagnostics=point_refs(scope, refs))


def still_used(reject: Reject, pkg: str, sym: str, left: Sequence[Ref]) -> StillUsed:
    """What a patch has to see to when a declaration goes that these references are left of."""
    return StillUsed(pkg, sym, reject, tuple(Seen(r.path, _width(r.span)) for r in left))


def _width(span: Span) -> Span:
    """The span of a use; one that is not written is found again by the byte where it stands."""
    return Span(span.start, max(span.end, span.start + 1))


def list_generated(refs: Sequence[Ref]) -> list[str]:
    """The generated files among those that references are in."""
    return sorted({ref.path for ref in refs if ref.generated})
