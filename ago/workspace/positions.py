"""Files and positions in addresses: `file.go`, `file.go:line`, `file.go:line:col`.

Invariant: line and column count from 1, columns in bytes; column 0 means that none was given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ago.workspace.files import is_outside
from ago.workspace.packages import find_packages, follow_links, relative
from ago.workspace.snapshot import Snapshot
from grammar_ops.near import near_pairs
from grammar_ops.reject import Reject

POSITION = re.compile(
    r"(?P<path>[^:#]+?\.go)"
    r"(?:(?::L?|#L?|,? line )(?P<line>\d+)(?::(?P<col>\d+))?(?:-L?\d+(?::\d+)?)?)?\Z"
)
"""Also as browsers and people write lines: `file.go#L7`, `file.go:7-9`, `file.go line 7`."""
_LISTED = 10


def is_place(sym: str) -> bool:
    """Whether an address is a file, or a position in one."""
    return POSITION.match(sym) is not None


def find_file(snapshot: Snapshot, pkg: str, name: str, rest: str = "") -> str:
    """The one file of the workspace (of a package, when given) that a path or its end names.

    `rest` is what an address says beside the file; near names come with it.
    """
    name = relative(snapshot.graph.root, name)
    if name in snapshot.entries and not pkg:
        return name
    if "/" in name and name not in snapshot.entries:
        folder, _, base = name.rpartition("/")
        linked = f"{follow_links(snapshot.graph.root, folder)}/{base}".removeprefix("./")
        name = linked if linked in snapshot.entries else name
    # What lies outside the root is followed, but is no part of the workspace.
    inside = [path for path in snapshot.entries if not is_outside(path)]
    paths = [path for path in inside if path == name or path.endswith("/" + name)]
    if pkg:
        packages = set(find_packages(snapshot.graph, pkg))
        paths = [p for p in paths if snapshot.graph.owners.get(p, ("", ""))[0] in packages]
    if len(paths) == 1:
        return paths[0]
    if paths:
        detail = f"{name} names {len(paths)} files"
        listed = tuple(f"{path}{rest}" for path in sorted(paths)[:_LISTED])
        raise Reject("ambiguous_address", detail, did_you_mean=listed)
    base = name.rpartition("/")[2]
    near = near_pairs(base, ((f"{p}{rest}", p.rpartition("/")[2]) for p in sorted(inside)))
    raise Reject("file_not_found", name, did_you_mean=tuple(near))


def folder_of(path: str) -> str:
    """The folder of a file, `.` for the root."""
    return PurePosixPath(path).parent.as_posix()


def inner_path(root: Path, written: str) -> str | None:
    """A path below the root for one that a caller wrote, None for what is elsewhere."""
    if not written.startswith("/"):
        return written
    place = Path(os.path.normpath(written))
    if not place.is_relative_to(root):
        place = place.parent.resolve() / place.name
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else None


def near_files(path: str, known: Iterable[str]) -> tuple[str, ...]:
    """Files that a path which is none may mean: of that name elsewhere, or of a like one."""
    base = path.rpartition("/")[2]
    inside = sorted(p for p in known if not is_outside(p))
    same = [p for p in inside if p == base or p.endswith("/" + base)]
    near = near_pairs(base, ((p, p.rpartition("/")[2]) for p in inside))
    return tuple(dict.fromkeys([*same, *near]))[:_LISTED]


def offset_of(text: bytes, line: int, col: int) -> int | None:
    """The byte at line and column (column 0: the first that is no blank), None outside the text."""
    lines = text.splitlines(keepends=True)
    if not 1 <= line <= len(lines):
        return None
    start, content = sum(map(len, lines[: line - 1])), lines[line - 1]
    blank = len(content) - len(content.lstrip(b" \t"))
    return start + min(col - 1 if col else blank, len(content) - 1)
