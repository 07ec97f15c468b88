"""What the name at a position means: the declaration, wherever it is used.

Invariant: from the facts alone, so a local, which has no address, is not answered.
"""

from __future__ import annotations

from ago.facts.load import UNIT_SHIFT
from ago.facts.store import ROLES
from ago.protocol.requests import Meaning
from ago.queries.page import without_empty
from ago.queries.uses import symbol_hit
from ago.workspace.positions import POSITION, find_file, offset_of
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register
from grammar_ops.syntax.mentions import find_token_at
from grammar_ops.syntax.parse import parse

register("queries", {"no_name_there": "no name stands at that position, or that of a local"})

REQUEST = Meaning
EXAMPLE: dict[str, Json] = {"sym": "main.go:14:17"}

# The uses of a unit stand together: its numbers are the upper bits of theirs.
_USE = (
    "SELECT u.symbol, u.role FROM path p JOIN unit_file f ON f.path = p.id"
    f' JOIN "use" u ON u.id >= f.unit << {UNIT_SHIFT} AND u.id < (f.unit + 1) << {UNIT_SHIFT}'
    " WHERE p.path = ? AND u.path = p.id AND u.off = ? AND u.len > 0 ORDER BY u.id LIMIT 1"
)


def answer(snapshot: Snapshot, request: Meaning) -> dict[str, Json]:
    """`name` as it is written, the role of this use, and pkg, sym, kind and pos of what it means;
    Reject(no_name_there) for a local and for what is no name."""
    match = POSITION.match(request.sym)
    if match is None or not match["col"]:
        raise Reject("address_required", "give sym as file.go:line:col")
    path = find_file(snapshot, request.pkg, match["path"])
    snapshot.verify([path])
    text = snapshot.read(path) or b""
    at = offset_of(text, int(match["line"]), int(match["col"]))
    token = find_token_at(parse(text), at) if at is not None else None
    row = token and snapshot.facts.execute(_USE, (path, token.start_byte)).fetchone()
    if token is None or not row:
        raise Reject("no_name_there", f"{match[0]}: no name, or a local")
    symbol, role = row
    kind = snapshot.facts.execute("SELECT kind FROM object WHERE symbol = ?", (symbol,)).fetchone()
    found: dict[str, Json] = {
        "name": text[token.start_byte : token.end_byte].decode("utf-8", "replace"),
        "role": ROLES[role],
        **symbol_hit(snapshot.facts, symbol),
        "kind": kind[0] if kind else "",
    }
    return {"status": "ok", **without_empty(found)}
