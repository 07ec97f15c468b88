"""Find declarations by a fragment of their name.

Invariant: each declaration is answered once, best match first, whatever variants declare it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ago.protocol.requests import Search
from ago.queries.page import paginate
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register("queries", {"empty_query": "a search needs a fragment of a name"})

REQUEST = Search

# Whole name, whole last part, its beginning, its middle; the plain name before a longer one.
_RANK = (
    "CASE WHEN s.sym = :q COLLATE NOCASE THEN 0"
    " WHEN s.sym LIKE '%.' || :like ESCAPE '\\' THEN 1"
    " WHEN s.sym LIKE :like || '%' ESCAPE '\\' THEN 2 ELSE 3 END"
)
_DECLARED = (
    f"SELECT s.pkg AS pkg, s.sym AS sym, o.kind AS kind, p.path AS path, o.name_line AS line,"
    f" o.name_col AS col, {_RANK} AS rank, '' AS of"
    " FROM object o JOIN symbol s ON s.id = o.symbol JOIN path p ON p.id = o.path"
    " WHERE s.sym LIKE '%' || :like || '%' ESCAPE '\\'"
)
# A type's promoted methods: in its method set, declared elsewhere.
_PROMOTED = (
    "SELECT t.pkg, t.sym || '.' || m.name, 'method', p.path, o.name_line, o.name_col, 4,"
    " d.pkg || '.' || d.sym FROM method m JOIN symbol t ON t.id = m.type"
    " JOIN symbol d ON d.id = m.method JOIN object o ON o.symbol = m.method"
    " JOIN path p ON p.id = o.path"
    " WHERE m.name LIKE '%' || :like || '%' ESCAPE '\\' AND m.via != 0"
    " AND d.sym != t.sym || '.' || m.name"
    " AND EXISTS (SELECT 1 FROM object x WHERE x.symbol = m.type)"
)
_HITS = f"SELECT *, min(rank) FROM ({_DECLARED} UNION ALL {_PROMOTED}) GROUP BY pkg, sym"


def answer(snapshot: Snapshot, request: Search) -> dict[str, Json]:
    """`count` and `symbols`: pkg, sym, kind and pos of each."""
    fragment = request.q.strip()
    if not fragment:
        raise Reject("empty_query", "give q, a fragment of a name")
    qualifier, name = _split(snapshot, fragment)
    args = {"q": name, "like": _escape(name), "pkg": qualifier}
    where = " HAVING pkg = :pkg OR pkg LIKE '%/' || :pkg" if qualifier else ""
    hits = snapshot.facts.execute(
        f"SELECT pkg, sym, kind, path, line, col, of, count(*) OVER () FROM ({_HITS}{where})"
        " ORDER BY rank, length(sym), pkg, sym LIMIT -1 OFFSET :offset",
        args | {"offset": request.offset},
    )
    rows = iter(hits)
    first = next(rows, None)
    count = first[-1] if first else _count(snapshot, f"{_HITS}{where}", args, request.offset)
    found = _hits([first, *rows] if first else [])
    tokens = request.max_tokens or snapshot.budget_tokens
    page = paginate("symbols", count, found, request.offset, tokens)
    return {"status": "ok", "query": fragment, **page}


def _hits(rows: list[tuple[str, str, str, str, int, int, str, int]]) -> Iterator[dict[str, Json]]:
    for pkg, sym, kind, path, line, col, of, _ in rows:
        hit: dict[str, Json] = {"pkg": pkg, "sym": sym, "kind": kind, "pos": f"{path}:{line}:{col}"}
        if of:
            hit["promoted_from"] = of
        yield hit


def _count(snapshot: Snapshot, hits: str, args: dict[str, str], offset: int) -> int:
    """How many there are, when the offset is past them."""
    if not offset:
        return 0
    return int(snapshot.facts.execute(f"SELECT count(*) FROM ({hits})", args).fetchone()[0])


def _split(snapshot: Snapshot, fragment: str) -> tuple[str, str]:
    """`provider.Norm` as package and fragment, when some package has that name; else no package."""
    qualifier, _, name = fragment.rpartition("/")
    head, dot, rest = name.partition(".")
    path = f"{qualifier}/{head}" if qualifier else head
    if dot and rest and any(p == path or p.endswith("/" + path) for p in snapshot.packages()):
        return path, rest
    return "", fragment


def _escape(name: str) -> str:
    return name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
