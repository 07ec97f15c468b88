"""Who may import whom: internal folders, commands, and cycles that new imports would close.

Invariant: knows paths and the graph of imports; what an import is for is not asked here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope

register(
    "grammar",
    {
        "import_cycle": "packages would come to import each other; the detail names the way",
        "main_not_importable": "nothing can import a command, so what is in it stays there",
        "internal_not_visible": "the package is internal to a folder that the importer is not in",
    },
)


class NewImport(NamedTuple):
    """An import that an edit brings: package (as it is under test), what it imports, tests only."""

    pkg: str
    imported: str
    test: bool


def refuse_imports(
    scope: Scope, news: Collection[NewImport], gone: Collection[tuple[str, str]]
) -> None:
    """Reject new imports that Go has no room for; `gone` are imports (pkg, imported) that end."""
    for new in sorted(news):
        info = scope.find_package(new.imported)
        if info is not None and info.name == "main":
            raise Reject("main_not_importable", f"{new.pkg} would import {new.imported}")
        if not is_visible(new.imported, new.pkg):
            raise Reject("internal_not_visible", f"{new.imported} to {new.pkg}")
    added: dict[str, set[str]] = {}
    for new in news:
        if not new.test:
            added.setdefault(new.pkg, set()).add(new.imported)
    for new in sorted(news):
        if new.pkg.endswith("_test"):
            continue  # nothing imports an external test
        way = find_way(scope, new.imported, new.pkg, added, gone)
        if way:
            raise Reject("import_cycle", f"{new.pkg} imports {' imports '.join(way)}")


def is_visible(imported: str, pkg: str) -> bool:
    """Whether `pkg` is in the folder that an internal package belongs to (go help gopath)."""
    parts = imported.split("/")
    if "internal" not in parts:
        return True
    last = len(parts) - 1 - parts[::-1].index("internal")
    parent = "/".join(parts[:last])
    pkg = pkg.removesuffix("_test")
    return not parent or pkg == parent or pkg.startswith(f"{parent}/")


def find_way(
    scope: Scope,
    start: str,
    goal: str,
    added: Mapping[str, Collection[str]],
    gone: Collection[tuple[str, str]],
) -> list[str]:
    """A shortest chain of imports from one package to another, [] for none."""
    before: dict[str, str] = {start: ""}
    todo = [start]
    for pkg in todo:
        if pkg == goal:
            way = [pkg]
            while before[way[0]]:
                way.insert(0, before[way[0]])
            return way
        standing = {i for i in scope.imports_of(pkg) if (pkg, i) not in gone}
        for imported in sorted(standing | set(added.get(pkg, ()))):
            if imported not in before:
                before[imported] = pkg
                todo.append(imported)
    return []
