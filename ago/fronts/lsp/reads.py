"""Questions of an editor: references and symbols, from the same queries that agents ask.

Invariant: positions come and go as the editor's buffers have them; only named declarations answer.
"""

from __future__ import annotations

import asyncio

from lsprotocol import types

from ago.fronts.lsp.convert import parse_pos, uri_of
from ago.fronts.lsp.desk import Body, Desk

PAGE_TOKENS = 200_000
SYMBOL_TOKENS = 20_000

_KINDS = {
    "func": types.SymbolKind.Function,
    "method": types.SymbolKind.Method,
    "type": types.SymbolKind.Class,
    "alias": types.SymbolKind.Class,
    "var": types.SymbolKind.Variable,
    "const": types.SymbolKind.Constant,
    "field": types.SymbolKind.Field,
    "interface_method": types.SymbolKind.Method,
}


async def find_references(
    desk: Desk, path: str, offset: int, *, declaration: bool
) -> list[types.Location] | None:
    """Where the name at a byte of a buffer is used; None for a local, which has no address."""
    sym = desk.disk_address(path, offset)
    meant = await _call(desk, "query", {"kind": "meaning", "sym": sym}) if sym else {}
    if meant.get("status") != "ok":
        return None
    args: Body = {"pkg": meant["pkg"], "sym": meant["sym"], "max_tokens": PAGE_TOKENS}
    size = len(str(meant["sym"]).rpartition(".")[2].encode())
    found: list[types.Location] = []
    seen: set[tuple[str, int, int]] = set()
    offset = 0
    while True:
        body = await _call(desk, "refs", {**args, "offset": offset})
        rows = body.get("refs", [])
        for row in rows if isinstance(rows, list) else ():
            assert isinstance(row, dict)
            place = parse_pos(str(row["pos"]))
            if place not in seen and (declaration or not row.get("def")):
                seen.add(place)
                at = desk.shown(*place, size)
                found.append(types.Location(uri_of(desk.root, place[0]), at))
        following = body.get("next_offset")
        if not isinstance(following, int):
            return found
        offset = following


async def find_symbols(desk: Desk, fragment: str) -> list[types.SymbolInformation]:
    """Declarations by a fragment of their name."""
    if not fragment.strip():
        return []
    body = await _call(desk, "search", {"q": fragment, "max_tokens": SYMBOL_TOKENS})
    rows = body.get("symbols", [])
    out = []
    for row in rows if isinstance(rows, list) else ():
        assert isinstance(row, dict)
        path, line, col = parse_pos(str(row["pos"]))
        name = str(row["sym"])
        at = desk.shown(path, line, col, len(name.rpartition(".")[2].encode()))
        kind = _KINDS.get(str(row.get("kind")), types.SymbolKind.Variable)
        location = types.Location(uri_of(desk.root, path), at)
        out.append(types.SymbolInformation(location, name, kind, container_name=str(row["pkg"])))
    return out


async def _call(desk: Desk, tool: str, args: Body) -> Body:
    return await asyncio.to_thread(desk.link.call, tool, args)
