"""Counts, build context and standing diagnostics of the workspace.

Invariant: a diagnostic that several variants have is told once.
"""

from __future__ import annotations

from itertools import islice

import orjson

from ago.facts.read import OWN_CONTEXT, STANDING
from ago.facts.store import read_meta
from ago.protocol.requests import Status
from ago.queries.page import budget_of, paginate, without_empty
from ago.workspace.files import is_outside
from ago.workspace.snapshot import ContextsBehind, Snapshot
from grammar_ops.reject import Json

REQUEST = Status
EXAMPLE: dict[str, Json] = {}

_NAMED = 20


def answer(snapshot: Snapshot, request: Status) -> dict[str, Json]:
    """What is loaded and what is wrong with it."""
    if request.wait and snapshot.reach.pending:
        raise ContextsBehind(tuple(sorted(snapshot.reach.pending)))
    go_files = sum(path.endswith(".go") and not is_outside(path) for path in snapshot.entries)
    uncovered = snapshot.uncovered()
    missing = snapshot.graph.missing_modules()
    found: dict[str, Json] = {
        "root": str(snapshot.root),
        "modules": [module.path for module in snapshot.graph.modules[:_NAMED]],
        "packages": len(snapshot.packages()),
        "files": go_files,
        "context": snapshot.context,
        "further_contexts": list(snapshot.reach.contexts),
        "contexts_pending": [*sorted(snapshot.reach.pending)],
        "context_problems": [f"{n}: {why}" for n, why in (snapshot.reach.problems or {}).items()],
        "outside_the_build": len(uncovered),
        "files_outside": list(uncovered[:_NAMED]),
        "dependencies_missing": [str(module) for module in missing[:_NAMED]],
        "mend": "; ".join(dict.fromkeys(module.mend for module in missing)),
        "modules_not_loaded": [f"{f}: {why}" for f, why in snapshot.graph.not_loaded[:_NAMED]],
    }
    if not snapshot.typed:
        return {"status": "ok", **without_empty(found), "checker": snapshot.why_untyped}
    db = snapshot.facts
    found["go"] = read_meta(db, "go_version")
    rows = [*_graph_problems(snapshot), *db.execute(STANDING)]
    errors = (
        without_empty({"pos": _pos(file, line, col), "msg": msg, "code": code, "context": context})
        for file, line, col, msg, code, _, context in rows
    )
    head = without_empty(found)
    hits = islice(errors, request.offset, None)
    page = paginate("errors", len(rows), hits, request, budget_of(snapshot, request, head))
    page["error_count"] = page.pop("count")
    return {"status": "ok", **head, **without_empty(page)}


def _graph_problems(snapshot: Snapshot) -> list[tuple[str, int, int, str, str, str, str]]:
    """What the go command says of the workspace as a whole and of packages."""
    problems = orjson.loads(read_meta(snapshot.facts, "problems") or "[]")
    rows = [(p["file"], p["line"], p["col"], p["msg"], p["code"], "list", "") for p in problems]
    packages = snapshot.facts.execute(
        f"SELECT dir, 0, 0, error, 'package', 'list', '' FROM package WHERE error != ''"
        f" AND context = {OWN_CONTEXT} ORDER BY dir"
    )
    return [*rows, *packages]


def _pos(file: str, line: int, col: int) -> str:
    return f"{file}:{line}:{col}" if line else file
