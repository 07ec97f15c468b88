"""The doc comment of one declaration, as plain text.

Invariant: the text of a member of a group is its own, else the group's, as `go doc` shows it.
"""

from __future__ import annotations

from ago.facts import read
from ago.facts.read import ObjectRecord
from ago.protocol.requests import Doc
from ago.queries.page import budget_of, text_page, without_empty
from ago.workspace.address import resolve
from ago.workspace.declared import decls_of
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Doc
EXAMPLE: dict[str, Json] = {"sym": "lib.Double"}


def answer(snapshot: Snapshot, request: Doc) -> dict[str, Json]:
    """`symbol`, `pos` and `doc`, "" where there is none."""
    address = resolve(snapshot, request.pkg, request.sym)
    records = read.find_objects(snapshot.facts, address.pkg, address.sym)
    snapshot.verify(record.path for record in records)
    documented = [record for record in records if record.doc.strip()] or records
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "pos": documented[0].pos if documented else "",
        "resolved": address.resolved or "",
    }
    doc = documented[0].doc.strip() if documented else ""
    if documented and not doc and documented[0].flags & read.GROUPED:
        doc = _group_doc(snapshot, documented[0])
    head = without_empty(found)
    page = text_page(doc, request, budget_of(snapshot, request, head))
    shown = page.pop("text")
    return {"status": "ok", **head, **page, "doc": shown}


def _group_doc(snapshot: Snapshot, member: ObjectRecord) -> str:
    """The comment above the parenthesised declaration that a member stands in."""
    decls = (d for d in decls_of(snapshot, member.path) if d.sym == member.sym)
    group = next((d.group for d in decls if d.name_span.start == member.name_off), None)
    if group is None:
        return ""
    src = snapshot.read(member.path) or b""
    comment = src[group.full_span.start : group.span.start].decode("utf-8", "replace").strip()
    if comment.startswith("/*"):
        return comment.removeprefix("/*").removesuffix("*/").strip()
    lines = (line.strip().removeprefix("//") for line in comment.splitlines())
    return "\n".join(line.removeprefix(" ") for line in lines).strip()
