"""One declaration with its neighbourhood: lines numbered, receiver type, the imports it uses.

Invariant: the text is the disk's, without handles: for reading, not for editing.
"""

from __future__ import annotations

import re

from ago.protocol.requests import Source
from ago.queries.page import without_empty
from ago.workspace.address import Address, resolve
from ago.workspace.declared import decls_of
from ago.workspace.snapshot import DiskMoved, Snapshot
from grammar_ops.reject import Json, Reject
from grammar_ops.syntax.decls import Decl, find_decl
from grammar_ops.syntax.imports import list_imports
from grammar_ops.syntax.parse import parse

REQUEST = Source


def answer(snapshot: Snapshot, request: Source) -> dict[str, Json]:
    """`text` (each line behind its number), `pos`, `end` line, for a method `receiver` (the type's
    text), `imports` (name or path of those that it names)."""
    address = resolve(snapshot, request.pkg, request.sym)
    text = snapshot.read(address.path)
    decl = find_decl(parse(text), text, address.sym, address.path) if text is not None else None
    if text is None or decl is None:
        raise DiskMoved(address.path)
    body = text[decl.full_span.start : decl.full_span.end]
    first = text.count(b"\n", 0, decl.full_span.start) + 1
    lines = body.decode("utf-8", "replace").splitlines()
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "file": address.path,
        "line": first,
        "end": first + len(lines) - 1,
        "resolved": address.resolved or "",
        "imports": _imports(snapshot, address, text, decl),
        "receiver": _receiver(snapshot, address),
        "text": "".join(f"{first + i}\t{line}\n" for i, line in enumerate(lines)),
    }
    return {"status": "ok", **without_empty(found)}


def _imports(snapshot: Snapshot, address: Address, text: bytes, decl: Decl) -> list[Json]:
    """The imports that the declaration names, by alias or by the package's own name."""
    body = text[decl.span.start : decl.span.end].decode("utf-8", "replace")
    qualifiers = set(re.findall(r"\b([A-Za-z_]\w*)\s*\.", body))
    used: list[Json] = []
    for spec in list_imports(parse(text), text):
        info = snapshot.package(spec.path)
        name = spec.name or (info.name if info else _last_word(spec.path))
        if name in qualifiers or name == ".":
            used.append(f"{spec.name} {spec.path}" if spec.name else spec.path)
    return used


def _last_word(path: str) -> str:
    """What a path most likely calls its package: its last element, a version left out."""
    parts = path.split("/")
    if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
        parts.pop()
    return re.sub(r"^go-|\.v\d+$|[^\w]", "", parts[-1])


def _receiver(snapshot: Snapshot, address: Address) -> str:
    """The declaration of the type that a method or field belongs to."""
    owner, _, _ = address.sym.rpartition(".")
    if not owner:
        return ""
    try:
        found = resolve(snapshot, address.pkg, owner)
    except Reject:
        return ""
    text = snapshot.read(found.path) or b""
    decl = next((d for d in decls_of(snapshot, found.path) if d.sym == owner), None)
    return text[slice(*decl.full_span)].decode("utf-8", "replace") if decl else ""
