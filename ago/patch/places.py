"""Places: positions in the text before a patch, and where they stand in its draft.

Invariant: line and column speak of the base; the name of a file that an op has made from another
one stands for that other.
"""

from __future__ import annotations

from ago.patch.workbench import Workbench
from ago.workspace.address import Address, resolve
from ago.workspace.positions import POSITION, find_file, offset_of
from ago.workspace.snapshot import Snapshot
from grammar_ops.edit import Span
from grammar_ops.reject import Reject
from grammar_ops.scope import Place
from grammar_ops.syntax.decls import Decl, find_named_at


def place_now(snapshot: Snapshot, bench: Workbench, pkg: str, sym: str) -> Place | None:
    """Where a position stands now, None for what is none; Reject(no_declaration_there)."""
    match = POSITION.match(sym)
    if match is None or not match["line"]:
        return None
    path = find_file(snapshot, pkg, bench.came_from(match["path"]))
    text, col = bench.base(path) or b"", int(match["col"] or 0)
    at = offset_of(text, int(match["line"]), col)
    found = None if at is None else bench.follow(path, Span(at, at))
    if found is None:
        raise Reject("no_declaration_there", sym)
    return Place(found[0], found[1].start, bool(col))


def resolve_before(
    snapshot: Snapshot, bench: Workbench, pkg: str, sym: str, *, bare_methods: bool = True
) -> Address:
    """The declaration of the base that an address or a position means; Reject with near names."""
    if (match := POSITION.match(sym)) and match["line"]:
        sym = bench.came_from(match["path"]) + sym[match.end("path") :]
    return resolve(snapshot, pkg, sym, bare_methods=bare_methods)


def decl_now(bench: Workbench, path: str, name_span: Span) -> Decl | None:
    """The declaration whose name stands there on the disk, where it stands now."""
    base = bench.in_base(path, name_span)
    found = bench.follow(path, base) if base else None
    if found is None:
        return None
    now, span = found
    return find_named_at(bench.tree(now), bench.source(now), span, now)
