"""The package graph: packages, who imports whom, whose a file is.

Invariant: a graph is immutable; it is read from the facts once for each version of them.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import orjson

from ago.facts import read
from ago.facts.store import read_meta
from ago.workspace.files import is_outside
from ago.workspace.missing import Absent, MissingModule, list_modules, read_missing
from grammar_ops.scope import PackageInfo


class ModuleInfo(NamedTuple):
    """A module whose packages can be edited: its path and its folder relative to the root."""

    path: str
    dir: str
    go_version: str


OK = "ok"
"""The state of a view whose facts are there."""


class View(NamedTuple):
    """A module below the root that the root's build does not use, with a build of its own."""

    dir: str
    module: str
    reason: str
    replaces: tuple[str, ...]
    """Folders of the workspace that its build takes modules from."""
    state: str = ""
    """`ok`, or why it could not be loaded; "" when nobody asked for it."""

    def concerns(self, paths: Iterable[str], *, own: bool = False) -> bool:
        """Whether its build may see one of some files; `own`: whether one is of its own folder."""
        folders = (self.dir,) if own else (self.dir, *self.replaces)
        return any(is_below(path, folder) for path in paths for folder in folders)

    def owns(self, text: str) -> bool:
        """Whether an import path, an address, a file or a folder is the view's."""
        if text.startswith((f"{self.module}/", f"{self.module}.")) or text == self.module:
            return True
        return is_below(text.removeprefix("./").rstrip("/"), self.dir)


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it; "." is the root."""
    if folder == ".":
        return not is_outside(path)
    return path == folder or path.startswith(f"{folder}/")


@dataclass(frozen=True)
class Graph:
    """Packages of the workspace and their imports."""

    root: str
    packages: Mapping[str, PackageInfo]
    mains: frozenset[str]
    by_dir: Mapping[str, str]
    """Folder ("." for the root) -> import path."""
    owners: Mapping[str, tuple[str, str]]
    """File -> (import path, role)."""
    importers: Mapping[str, frozenset[str]]
    """Import path -> workspace packages that import it, tests included."""
    modules: tuple[ModuleInfo, ...]
    imports: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Import path -> workspace packages that it imports, tests aside."""
    views: tuple[View, ...] = ()
    contexts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Further build context, as `goos/goarch[,tag...]` -> packages that look different there."""
    absent: tuple[Absent, ...] = ()
    """Packages that the build imports and does not have."""
    module_cache: str = ""

    @property
    def not_loaded(self) -> tuple[tuple[str, str], ...]:
        """(folder, reason) of the views that are not loaded."""
        left = (view for view in self.views if view.state != OK)
        return tuple((view.dir, view.state or view.reason) for view in left)

    def missing_modules(self) -> list[MissingModule]:
        """The modules that are required and not here, and packages that nothing provides."""
        if not self.absent:
            return []
        folders = [*(m.dir or "." for m in self.modules), *(view.dir for view in self.views)]
        return list_modules(Path(self.root), folders, self.module_cache, self.absent)

    def reverse_closure(self, pkgs: Iterable[str]) -> set[str]:
        """The packages and all that import them through any number of steps, tests included."""
        reached: set[str] = set()
        todo = list(pkgs)
        while todo:
            pkg = todo.pop()
            if pkg not in reached:
                reached.add(pkg)
                todo += self.importers.get(pkg, ())
        return reached

    def import_path_of(self, folder: str) -> str | None:
        """Import path of a folder, also of one that is no package yet."""
        if folder in self.by_dir:
            return self.by_dir[folder]
        inside = [m for m in self.modules if PurePosixPath(folder).is_relative_to(m.dir or ".")]
        module = max(inside, key=lambda m: len(m.dir), default=None)
        if module is None:
            return None
        rest = PurePosixPath(folder).relative_to(module.dir or ".").as_posix()
        return module.path if rest == "." else f"{module.path}/{rest}"

    def module_of(self, pkg: str) -> ModuleInfo | None:
        """The workspace module that an import path would belong to: the longest matching path."""
        fits = [m for m in self.modules if pkg == m.path or pkg.startswith(m.path + "/")]
        return max(fits, key=lambda m: len(m.path), default=None)


def find_packages(graph: Graph, text: str) -> list[str]:
    """Every package that a path, suffix, folder or name may mean; an exact path means one."""
    if text in graph.packages:
        return [text]
    tested = text.removesuffix("_test")
    if tested in graph.packages:
        return [tested]
    folder = _folder(graph.root, text)
    if folder not in graph.by_dir:
        folder = follow_links(graph.root, folder)
    if text.startswith(("./", "/")) or text == ".":
        return [graph.by_dir[folder]] if folder in graph.by_dir else []
    found = {pkg for pkg in graph.packages if pkg.endswith("/" + text.strip("/"))}
    if folder in graph.by_dir:
        found.add(graph.by_dir[folder])
    # What Go source calls a package need not be the end of its path: clientv3 of client/v3.
    found |= {info.pkg for info in graph.packages.values() if info.name == text}
    return sorted(found)


def read_graph(db: sqlite3.Connection, root: str) -> Graph:
    """The graph as the facts hold it."""
    packages = read.packages(db)
    importers, imports = _read_imports(db, packages)
    owners = {
        path: (pkg, role)
        for pkg, role, path in db.execute(
            "SELECT k.pkg, f.role, f.path FROM package_file f JOIN package k ON k.id = f.package"
            # A file that is compiled may be embedded as well; the own build's word comes last.
            " ORDER BY CASE f.role WHEN 'embed' THEN 0 WHEN 'ignored' THEN 1 ELSE 2 END,"
            " k.context DESC"
        )
    }
    views = orjson.loads(read_meta(db, "views") or "[]")
    states = orjson.loads(read_meta(db, "view_states") or "{}")
    modules = db.execute("SELECT path, dir, go_version FROM module WHERE workspace ORDER BY path")
    contexts: dict[str, set[str]] = defaultdict(set)
    for goos, goarch, tags, pkg in db.execute(
        "SELECT c.goos, c.goarch, c.tags, k.pkg FROM package k JOIN context c ON c.id = k.context"
        f" WHERE k.context != {read.OWN_CONTEXT}"
    ):
        contexts[",".join(filter(None, (f"{goos}/{goarch}", tags)))].add(pkg)
    return Graph(
        root=root,
        packages=packages,
        mains=frozenset(pkg for (pkg,) in db.execute("SELECT pkg FROM package WHERE main")),
        by_dir={info.dir or ".": pkg for pkg, info in packages.items()},
        owners=owners,
        importers=importers,
        imports=imports,
        modules=tuple(ModuleInfo(p, _folder(root, d), v) for p, d, v in modules),
        contexts={name: frozenset(pkgs) for name, pkgs in contexts.items()},
        views=tuple(
            View(
                view["dir"],
                view["module"],
                view["reason"],
                tuple(view["replaces"] or ()),
                states.get(view["dir"], ""),
            )
            for view in views
        ),
        absent=read_missing(db),
        module_cache=read_meta(db, "gomodcache"),
    )


def _read_imports(
    db: sqlite3.Connection, packages: Collection[str]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Who imports a path, tests included, and which workspace packages one imports without them."""
    importers: dict[str, set[str]] = defaultdict(set)
    imports: dict[str, set[str]] = defaultdict(set)
    for pkg, imported, kind in db.execute(
        "SELECT k.pkg, i.imported, i.kind FROM package_import i JOIN package k ON k.id = i.package"
    ):
        if imported != pkg:
            importers[imported].add(pkg)
        if kind == 0 and imported in packages:
            imports[pkg].add(imported)
    return (
        {path: frozenset(pkgs) for path, pkgs in importers.items()},
        {path: frozenset(pkgs) for path, pkgs in imports.items()},
    )


def relative(root: str, path: str) -> str:
    """A path as the workspace writes it: below the root, without a leading `./`."""
    return path.removeprefix(f"{root}/").removeprefix("./")


def follow_links(root: str, folder: str) -> str:
    """The folder of the workspace that a path leads to through symbolic links."""
    return _folder(root, Path(root, folder).resolve().as_posix())


def _folder(root: str, path: str) -> str:
    return "." if path == root else relative(root, path).rstrip("/") or "."
