"""Kind, type, doc, fields and methods of one object.

Invariant: fields come in the order of their declaration, methods by name, own ones first; what is
promoted says from where.
"""

from __future__ import annotations

import sqlite3

from ago.facts import read
from ago.facts.read import ObjectRecord
from ago.protocol.requests import Inspect
from ago.queries.page import budget_of, paginate, without_empty
from ago.workspace.address import Address, resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json

REQUEST = Inspect
EXAMPLE: dict[str, Json] = {"sym": "lib.Store"}

_SHOWN_FLAGS = ("generic", "iota", "inherits", "generated", "embedded", "pointer_receiver")
_TYPES = ("type", "alias")
_DOC_LINES = 12


def answer(snapshot: Snapshot, request: Inspect) -> dict[str, Json]:
    """One object as the checker knows it."""
    address = resolve(snapshot, request.pkg, request.sym)
    db = snapshot.facts
    records = read.find_objects(db, address.pkg, address.sym)
    if not records:
        return _unchecked(address)
    record = next((r for r in records if r.path == address.path), records[0])
    snapshot.verify([record.path])
    is_type = record.kind in _TYPES
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "name": record.sym.rpartition(".")[2],
        "kind": record.kind,
        "pkg": record.pkg,
        "type": record.sym if is_type else record.type,
        "underlying": record.type if is_type else "",
        "exported": bool(record.exported),
        "pos": record.pos,
        "declared_also": [other.pos for other in records if other is not record],
        **_doc(record.doc.strip(), address),
        "flags": [name for name in _SHOWN_FLAGS if name in read.flag_names(record.flags)],
        "resolved": address.resolved,
    }
    head = without_empty(found)
    fields = _fields(db, record)
    members = fields + (_methods(db, record) if is_type else [])
    room = budget_of(snapshot, request, head)
    page = paginate("members", len(members), members[request.offset :], request, room)
    shown = page["members"]
    assert isinstance(shown, list)
    split = max(len(fields) - request.offset, 0)
    parts = {"fields": shown[:split], "methods": shown[split:]}
    where: dict[str, Json] = {key: page[key] for key in ("truncated", "next_offset") if key in page}
    counts: dict[str, Json] = {"members": len(members)} if where else {}
    return {"status": "ok", **head, **counts, **without_empty(parts), **where}


def _doc(doc: str, address: Address) -> dict[str, Json]:
    """The doc comment, or its beginning and the call for the whole of it."""
    lines = doc.splitlines(keepends=True)
    if len(lines) <= _DOC_LINES:
        return {"doc": doc}
    call: Json = {"tool": "query", "args": {"kind": "doc", "sym": address.symbol}}
    rest: Json = {"lines": len(lines) - _DOC_LINES, "call": call}
    return {"doc": "".join(lines[:_DOC_LINES]), "doc_rest": rest}


def _unchecked(address: Address) -> dict[str, Json]:
    """A declaration in a file that the loaded build context leaves out."""
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "kind": address.kind,
        "pkg": address.pkg,
        "file": address.path,
        "note": "outside the checked build: known by its syntax alone",
        "resolved": address.resolved,
    }
    return {"status": "ok", **without_empty(found)}


def _fields(db: sqlite3.Connection, record: ObjectRecord) -> list[dict[str, Json]]:
    members = read.objects_where(db, "o.parent = ? AND o.kind = 'field'", (record.symbol,))
    members.sort(key=lambda m: m.name_off)
    return [
        without_empty(
            {
                "name": m.sym.rpartition(".")[2],
                "type": m.type,
                "doc": m.doc.strip(),
                "embedded": bool(m.flags & read.EMBEDDED),
            }
        )
        for m in members
    ]


def _methods(db: sqlite3.Connection, record: ObjectRecord) -> list[dict[str, Json]]:
    """The method set of the type's pointer, own methods first, by name."""
    rows = db.execute(
        "SELECT m.name, coalesce(o.type, m.sig), d.pkg, d.sym, m.ptr = 1, m.via != 0 FROM method m"
        " LEFT JOIN symbol d ON d.id = m.method LEFT JOIN object o ON o.symbol = m.method"
        " WHERE m.type = ? GROUP BY m.ident ORDER BY m.via != 0, m.name",
        (record.symbol,),
    )
    return [
        without_empty(
            {
                "name": name,
                "signature": signature,
                "pointer": bool(pointer),
                "promoted_from": f"{pkg}.{sym}" if promoted and sym else "",
            }
        )
        for name, signature, pkg, sym, pointer, promoted in rows
    ]
