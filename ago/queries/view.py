"""A declaration's text with statement handles; of a file or package its outline.

Invariant: the text shown is the disk's, and `generation` speaks of exactly that text.
"""

from __future__ import annotations

from ago.facts import read
from ago.protocol.requests import Outline, View
from ago.queries.outline import outline_file, outline_package
from ago.queries.page import budget_of, pos_of, text_page, without_empty
from ago.workspace.address import Address, resolve
from ago.workspace.declared import places_to_come
from ago.workspace.snapshot import DiskMoved, Snapshot
from grammar_ops.reject import Json
from grammar_ops.syntax.decls import find_decl, find_named_at
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.view import render_view

REQUEST = View
EXAMPLE: dict[str, Json] = {"sym": "lib.Double"}


def answer(snapshot: Snapshot, request: View) -> dict[str, Json]:
    """`text` with its handles (or an outline), `nodes`, `generation` and where it stands."""
    address = resolve(snapshot, request.pkg, request.sym, "view")
    if address.kind in ("package", "file"):
        whole = outline_package if address.kind == "package" else outline_file
        tokens = request.max_tokens or snapshot.budget_tokens
        window = Outline(docs=False, offset=request.offset, max_tokens=tokens)
        return whole(snapshot, address, window)
    return _view(snapshot, address, request)


def _view(snapshot: Snapshot, address: Address, request: View) -> dict[str, Json]:
    text = snapshot.read(address.path)
    decl = None
    if text is not None:
        tree = parse(text)
        decl = find_decl(tree, text, address.sym, address.path)
        if address.place is not None:
            decl = find_named_at(tree, text, address.place, address.path) or decl
    if text is None or decl is None:
        raise DiskMoved(address.path)
    shown = render_view(tree, text, decl, request.slots)
    generation = snapshot.generations.current(
        address.pkg, address.sym, text[decl.full_span.start : decl.full_span.end]
    )
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "kind": address.kind,
        "pos": pos_of(text, decl),
        "generation": generation,
        "nodes": shown.nodes,
        "declared_also": _elsewhere(snapshot, address),
        "generated": snapshot.is_generated(address.path),
        "resolved": address.resolved,
    }
    head = without_empty(found)
    page = text_page(shown.text, request, budget_of(snapshot, request, head))
    return {"status": "ok", **head} | page


def _elsewhere(snapshot: Snapshot, address: Address) -> list[Json]:
    """Where other systems or tags declare the same name."""
    if not snapshot.typed:
        return []
    records = read.find_objects(snapshot.facts, address.pkg, address.sym)
    places = [f"{r.path}:{r.name_line}" for r in records if r.path != address.path]
    later = places_to_come(snapshot, address.pkg, address.sym)
    known = (f"{address.path}:", *(f"{r.path}:" for r in records))
    return [*places, *(place for place in later if not place.startswith(known))]
