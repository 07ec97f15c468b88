"""Resources: files that are not compiled, but that packages embed or their tests open.

Invariant: what a test opens is not known; by custom it lies in a folder `testdata`, and belongs to
the tests of the package beside it, or where none is there, of the packages below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ago.facts.load import UNIT_SHIFT
from ago.facts.read import find_symbol
from ago.workspace.since import Since, others_since
from ago.workspace.snapshot import Snapshot
from grammar_ops.syntax.embeds import list_embeds, may_embed

_TESTDATA = "testdata"


class Reached(NamedTuple):
    """The packages whose tests a changed file may make fail, and the variables that embed it."""

    pkgs: frozenset[str]
    variables: frozenset[int]


def changed_resources(snapshot: Snapshot, since: Since) -> list[Reached]:
    """What each changed resource reaches; since an edit, files that ago does not edit are unknown
    and left out."""
    find = _finder(snapshot)
    paths = since.paths
    if since.commit:
        paths += others_since(snapshot, since.commit, lambda path: find(path) is not None)
    return [reached for path in paths if (reached := find(path)) is not None]


def _finder(snapshot: Snapshot) -> Callable[[str], Reached | None]:
    """path -> what it reaches, None for no resource."""
    embeds = list(_embeds(snapshot))
    homes = snapshot.graph.by_dir

    def find(path: str) -> Reached | None:
        pkgs = set(_testing(homes, path))
        variables = set[int]()
        for folder, pattern, pkg, variable in embeds:
            if path.startswith(folder) and may_embed(pattern, path[len(folder) :]):
                pkgs.add(pkg)
                variables.add(variable)
        return Reached(frozenset(pkgs), frozenset(variables)) if pkgs else None

    return find


def _testing(homes: Mapping[str, str], path: str) -> Iterator[str]:
    """The packages whose tests may open a file by custom."""
    folders = path.split("/")[:-1]
    if _TESTDATA not in folders:
        return
    home = "/".join(folders[: folders.index(_TESTDATA)]) or "."
    if home in homes:
        yield homes[home]
    else:
        below = "" if home == "." else f"{home}/"
        yield from (pkg for folder, pkg in homes.items() if folder.startswith(below))


def _embeds(snapshot: Snapshot) -> Iterator[tuple[str, str, str, int]]:
    """(folder with its slash, pattern below it, package, variable) of every embed directive."""
    db = snapshot.facts
    rows = db.execute(
        "SELECT DISTINCT p.path, u.pkg, u.variant FROM import i JOIN path p ON p.id = i.path"
        f" JOIN unit u ON u.id = i.id >> {UNIT_SHIFT} WHERE i.import = 'embed' ORDER BY p.path"
    ).fetchall()
    for path, pkg, variant in rows:
        folder = path[: path.rfind("/") + 1]
        home = f"{pkg}_test" if variant == "xtest" else pkg
        for embed in list_embeds(snapshot.read(path) or b""):
            yield folder, embed.pattern, pkg, find_symbol(db, home, embed.variable) or 0
