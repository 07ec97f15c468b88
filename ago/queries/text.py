"""Lines of the workspace's files that hold a text or match a regular expression.

Invariant: RE2 (Go's own syntax) matches in linear time, so no pattern can hold the daemon up; at
most so many lines are looked for, and the answer says when there are more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Protocol

import re2

from ago.protocol.requests import Text
from ago.queries.page import list_answer
from ago.workspace.snapshot import DiskMoved, Snapshot
from grammar_ops.reject import Json, Reject, register

register(
    "queries",
    {
        "empty_text": "a text search needs a text",
        "bad_pattern": "the pattern is no regular expression of RE2",
    },
)

REQUEST = Text
EXAMPLE: dict[str, Json] = {"q": "Limit", "files": "lib/"}

_AT_MOST = 1_000
"""Lines that are looked for from the offset on."""
_WIDTH = 200
"""Letters of a line that are shown."""


def answer(snapshot: Snapshot, request: Text) -> dict[str, Json]:
    """`count` and `lines`: pos and the line's text; `at_least` where the search ended early."""
    if not request.q:
        raise Reject("empty_text", "give q, a text")
    try:
        pattern = re2.compile(request.q if request.regex else re2.escape(request.q))
    except re2.error as error:
        raise Reject("bad_pattern", f"{request.q}: {_said(error)}") from error
    limit = request.offset + _AT_MOST
    hits = list(islice(_search(snapshot, pattern, request.files), limit))
    found: dict[str, Json] = {"at_least": len(hits) == limit}
    page = list_answer(snapshot, request, found, "lines", hits, lambda hit: hit)
    if len(hits) == limit:
        page = {"next_offset": limit, **page}
    return page


def _said(error: Exception) -> str:
    """What RE2 has against a pattern: it speaks in bytes."""
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


class Pattern(Protocol):
    """A compiled pattern, as far as it is used here."""

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""


def _search(snapshot: Snapshot, pattern: Pattern, files: str) -> Iterator[dict[str, Json]]:
    for path in sorted(snapshot.files()):
        if files and not _is_meant(path, files):
            continue
        try:
            text = (snapshot.read(path) or b"").decode("utf-8", "replace")
        except DiskMoved:
            continue
        if not pattern.search(text):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if match := pattern.search(line):
                col = len(line[: match.start()].encode()) + 1
                yield {"pos": f"{path}:{number}:{col}", "text": line.strip()[:_WIDTH]}


def _is_meant(path: str, glob: str) -> bool:
    """A glob over the whole path or over its end: `*.go`, `pkg/*_test.go`, `lib/`."""
    glob = glob.removeprefix("./")
    glob = f"{glob}*" if glob.endswith("/") else glob
    return fnmatchcase(path, glob) or fnmatchcase(path, f"*/{glob}")
