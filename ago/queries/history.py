"""The last commits that touched one declaration, newest first, through git.

Invariant: the lines are those that the declaration has in HEAD, so edits that are not committed
don't shift the question; git follows them back through edits and renames of the file.
"""

from __future__ import annotations

from ago.protocol.requests import DeclHistory
from ago.queries.page import list_answer
from ago.workspace.address import resolve
from ago.workspace.git import NO_PROGRAMS, run_git
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register
from grammar_ops.syntax.decls import find_decl
from grammar_ops.syntax.parse import parse

register("queries", {"not_committed": "HEAD does not have the declaration"})

REQUEST = DeclHistory
EXAMPLE: dict[str, Json] = {"sym": "lib.Double"}

_AT_MOST = 50
_FIELDS = "%x1e%h%x1f%as%x1f%an%x1f%s"


def answer(snapshot: Snapshot, request: DeclHistory) -> dict[str, Json]:
    """`count` and `commits`: commit, date, author and subject of each; `at_least` where there may
    be more than so many."""
    address = resolve(snapshot, request.pkg, request.sym)
    root, path = snapshot.root, address.path
    text = run_git(root, ["show", *NO_PROGRAMS, f"HEAD:./{path}"])
    decl = find_decl(parse(text), text, address.sym, path)
    if decl is None:
        raise Reject("not_committed", f"{address.symbol} is not in HEAD's {path}")
    first = text.count(b"\n", 0, decl.full_span.start) + 1
    last = text.count(b"\n", 0, decl.full_span.end) + 1
    where = f"-L{first},{last}:{path}"
    limit = request.offset + _AT_MOST
    log = ["log", *NO_PROGRAMS, "-s", f"-n{limit}", f"--format={_FIELDS}", where]
    found = run_git(root, log).decode("utf-8", "replace")
    rows = [row.strip("\n").split("\x1f") for row in found.split("\x1e")[1:]]
    commits: list[dict[str, Json]] = [
        {"commit": row[0], "date": row[1], "author": row[2], "subject": row[3]} for row in rows
    ]
    told: dict[str, Json] = {"symbol": address.symbol, "resolved": address.resolved or ""}
    told["at_least"] = len(commits) == limit
    page = list_answer(snapshot, request, told, "commits", commits, lambda commit: commit)
    if len(commits) == limit:
        page = {"next_offset": limit, **page}
    return page
