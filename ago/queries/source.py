"""One declaration with its neighbourhood: lines numbered, receiver type, the imports it uses.

Invariant: the text is the disk's, without handles: for reading, not for editing.
"""

from __future__ import annotations

import re

from tree_sitter import Tree

from ago.protocol.requests import Source
from ago.queries.page import budget_of, text_page, without_empty
from ago.workspace.address import Address, resolve
from ago.workspace.snapshot import DiskMoved, Snapshot
from grammar_ops.reject import Json, Reject
from grammar_ops.syntax.decls import Decl, find_decl
from grammar_ops.syntax.imports import list_imports
from grammar_ops.syntax.names import package_name
from grammar_ops.syntax.parse import parse

REQUEST = Source
EXAMPLE: dict[str, Json] = {"sym": "lib.Store.Put"}

_RECEIVER_LINES = 30


def answer(snapshot: Snapshot, request: Source) -> dict[str, Json]:
    """`text` (each line behind its number), `file`, `line` and `end`, for a method `receiver` (the
    type's text, or its beginning and the call for the rest), `imports` that it names."""
    address = resolve(snapshot, request.pkg, request.sym)
    text = snapshot.read(address.path)
    tree = parse(text or b"")
    decl = find_decl(tree, text, address.sym, address.path) if text is not None else None
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
        "imports": _imports(snapshot, tree, text, decl),
    }
    if not request.offset:
        found |= _receiver(snapshot, address)
    shown = "".join(f"{first + i}\t{line}\n" for i, line in enumerate(lines))
    head = without_empty(found)
    return {"status": "ok", **head} | text_page(shown, request, budget_of(snapshot, request, head))


def _imports(snapshot: Snapshot, tree: Tree, text: bytes, decl: Decl) -> list[Json]:
    """The imports that the declaration names, by alias or by the package's own name."""
    body = text[decl.span.start : decl.span.end].decode("utf-8", "replace")
    qualifiers = set(re.findall(r"\b([^\W\d]\w*)\s*\.", body))
    called = _package_names(snapshot, decl.path)
    used: list[Json] = []
    for spec in list_imports(tree, text):
        name = spec.name or called.get(spec.path) or package_name(spec.path)
        if name in qualifiers or name == ".":
            used.append(f"{spec.name} {spec.path}" if spec.name else spec.path)
    return used


def _package_names(snapshot: Snapshot, path: str) -> dict[str, str]:
    """Import path -> what the package calls itself, of the imports of a checked file."""
    if not snapshot.typed:
        return {}
    rows = snapshot.facts.execute(
        "SELECT i.import, i.pkgname FROM import i JOIN path p ON p.id = i.path WHERE p.path = ?",
        (path,),
    )
    return dict(rows)


def _receiver(snapshot: Snapshot, address: Address) -> dict[str, Json]:
    """The declaration of the type that a method or field belongs to, or the beginning of it."""
    owner, _, _ = address.sym.rpartition(".")
    if not owner:
        return {}
    try:
        found = resolve(snapshot, address.pkg, owner)
    except Reject:
        return {}
    text = snapshot.read(found.path) or b""
    decl = find_decl(parse(text), text, owner, found.path)
    if decl is None:
        return {}
    lines = text[slice(*decl.full_span)].decode("utf-8", "replace").splitlines()
    shown: dict[str, Json] = {"receiver": "\n".join(lines[:_RECEIVER_LINES])}
    if len(lines) > _RECEIVER_LINES:
        call: Json = {"tool": "query", "args": {"kind": "source", "sym": found.symbol}}
        shown["receiver_rest"] = {"lines": len(lines) - _RECEIVER_LINES, "call": call}
    return shown
