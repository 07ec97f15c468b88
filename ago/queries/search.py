"""Find declarations by a fragment of their name.

Invariant: each declaration is answered once, best match first, whatever variants declare it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ago.protocol.requests import Search
from ago.queries.page import budget_of, paginate
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register("queries", {"empty_query": "a search needs a fragment of a name"})

REQUEST = Search
EXAMPLE: dict[str, Json] = {"q": "doub"}

_AT_MOST = 2_000
"""Hits that one page could hold at the very most."""
_PROMOTED_RANK = 4

# Three letters and more are looked up; less is in so many names that all are read.
_BY_LETTERS = "s.id IN (SELECT rowid FROM symbol_name WHERE symbol_name MATCH :phrase) AND "
_LOOKED_UP_FROM = 3
# Whole name, whole last part, its beginning, its middle; what is promoted comes last.
_RANK = (
    "CASE WHEN s.sym = :q COLLATE NOCASE THEN 0"
    " WHEN s.sym LIKE '%.' || :like ESCAPE '\\' THEN 1"
    " WHEN s.sym LIKE :like || '%' ESCAPE '\\' THEN 2 ELSE 3 END"
)
_MATCHES = (
    "SELECT s.id, s.pkg, s.sym FROM symbol s WHERE {by_letters}"
    " s.sym LIKE '%' || :like || '%' ESCAPE '\\'"
    " AND EXISTS (SELECT 1 FROM object o WHERE o.symbol = s.id)"
)
# A type's promoted methods: in its method set, declared elsewhere in the workspace.
_PROMOTED = (
    "SELECT DISTINCT t.pkg, t.sym || '.' || m.name, s.id, 4 FROM matches s"
    " JOIN method m ON m.method = s.id AND m.via != 0 JOIN symbol t ON t.id = m.type"
    " WHERE m.name LIKE '%' || :like || '%' ESCAPE '\\'"
    " AND EXISTS (SELECT 1 FROM object o WHERE o.symbol = m.type)"
)
_HITS = (
    f"WITH matches AS MATERIALIZED ({_MATCHES}), hits AS MATERIALIZED ("
    f"SELECT pkg, sym, id AS declared, {_RANK} AS rank FROM matches s UNION ALL {_PROMOTED})"
)
_IN_PACKAGE = " WHERE pkg = :pkg OR pkg LIKE '%/' || :pkg"
_WHERE = (
    "SELECT o.kind, p.path, o.name_line, o.name_col, s.pkg || '.' || s.sym FROM object o"
    " JOIN path p ON p.id = o.path JOIN symbol s ON s.id = o.symbol WHERE o.symbol = ?"
    " ORDER BY o.id LIMIT 1"
)


def answer(snapshot: Snapshot, request: Search) -> dict[str, Json]:
    """`count` and `symbols`: pkg, sym, kind and pos of each."""
    fragment = request.q.strip()
    if not fragment:
        raise Reject("empty_query", "give q, a fragment of a name")
    qualifier, name = _split(snapshot, fragment)
    args: dict[str, str | int] = {"q": name, "like": _escape(name), "pkg": qualifier}
    args |= {"phrase": _quote(name), "offset": request.offset, "limit": _AT_MOST}
    hits = _HITS.format(by_letters=_BY_LETTERS if len(name) >= _LOOKED_UP_FROM else "")
    where = _IN_PACKAGE if qualifier else ""
    db = snapshot.facts
    # The count stands in a row of its own, so that an offset past the end has it too.
    (count, *_), *rows = db.execute(
        f"{hits} SELECT count(*), '', 0, 0 FROM hits{where} UNION ALL SELECT * FROM ("
        f"SELECT pkg, sym, declared, rank FROM hits{where}"
        " ORDER BY rank, length(sym), pkg, sym LIMIT :limit OFFSET :offset)",
        args,
    )
    room = budget_of(snapshot, request, {"query": fragment})
    page = paginate("symbols", count, _hits(snapshot, rows), request, room)
    return {"status": "ok", "query": fragment, **page}


def _hits(
    snapshot: Snapshot, rows: Iterable[tuple[str, str, int, int]]
) -> Iterator[dict[str, Json]]:
    for pkg, sym, declared, rank in rows:
        kind, path, line, col, symbol = snapshot.facts.execute(_WHERE, (declared,)).fetchone()
        snapshot.verify([path])
        hit: dict[str, Json] = {"pkg": pkg, "sym": sym, "kind": kind, "pos": f"{path}:{line}:{col}"}
        if rank == _PROMOTED_RANK:
            hit["promoted_from"] = symbol
        yield hit


def _split(snapshot: Snapshot, fragment: str) -> tuple[str, str]:
    """`provider.Norm` as package and fragment, when some package has that name; else no package."""
    qualifier, _, name = fragment.rpartition("/")
    head, dot, rest = name.partition(".")
    path = f"{qualifier}/{head}" if qualifier else head
    if dot and rest and any(p == path or p.endswith("/" + path) for p in snapshot.packages()):
        return path, rest
    return "", fragment


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _escape(name: str) -> str:
    return name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
