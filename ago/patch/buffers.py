"""Positions in unsaved buffers: the declarations that they are in, as the disk knows them.

Invariant: a position of a request that brings a buffer speaks of the buffer's text.
"""

from __future__ import annotations

from ago.patch.workbench import Workbench
from ago.protocol.requests import Patch
from ago.workspace.positions import POSITION, find_file, offset_of
from ago.workspace.snapshot import Snapshot
from grammar_ops.catalog import CATALOG
from grammar_ops.op import DeclOp
from grammar_ops.reject import Json
from grammar_ops.syntax.decls import find_enclosing
from grammar_ops.syntax.findings import point_at

RawOp = dict[str, Json]


def settle_positions(request: Patch, snapshot: Snapshot, bench: Workbench) -> Patch:
    """The request with each position in a buffer replaced by what the rest of a patch can look up.

    Ops that take the very place keep it: they read it in the buffer.
    """
    if not request.overlay:
        return request
    ops = [_settle_op(raw, snapshot, bench) for raw in request.ops]
    kept = all(_takes_place(raw) for raw in request.ops)
    pkg, sym = request.pkg, request.sym
    if not kept and (found := _on_disk(snapshot, bench, pkg, sym)):
        pkg, sym = found
    return request.model_copy(update={"ops": ops, "pkg": pkg, "sym": sym})


def _settle_op(raw: RawOp, snapshot: Snapshot, bench: Workbench) -> RawOp:
    pkg, sym = raw.get("pkg", ""), raw.get("sym")
    if _takes_place(raw) or not isinstance(pkg, str) or not isinstance(sym, str):
        return raw
    found = _on_disk(snapshot, bench, pkg, sym)
    return {**raw, "pkg": found[0], "sym": found[1]} if found else raw


def _takes_place(raw: RawOp) -> bool:
    op = CATALOG.get(str(raw.get("op")))
    return op is not None and issubclass(op, DeclOp) and op.takes_place


def _on_disk(snapshot: Snapshot, bench: Workbench, pkg: str, sym: str) -> tuple[str, str] | None:
    """(pkg, sym) of the declaration at a position in a buffer; None for any other address."""
    match = POSITION.match(sym)
    if match is None or not match["line"]:
        return None
    path = find_file(snapshot, pkg, match["path"])
    text = bench.base(path) or b""
    at = offset_of(text, int(match["line"]), int(match["col"] or 0))
    if not bench.is_buffer(path) or at is None:
        return None
    decl = find_enclosing(bench.tree(path), text, at, path)
    if decl is None:
        return None
    if there := bench.unlocate(path, decl.name_span):
        point = point_at(snapshot.read(path) or b"", path, there.start)
        return pkg, f"{path}:{point.line}:{point.col}"
    # Its line is the buffer's own: it has a name, and nothing but that.
    owner, role = snapshot.graph.owners.get(path, ("", ""))
    return (f"{owner}_test" if role == "xtest" else owner), decl.sym
