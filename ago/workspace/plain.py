"""The package graph from the go command alone, for machines where agocheck can't be had.

Invariant: it knows packages and files, never types; what needs types says so itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import orjson

from ago.checker.gocmd import Go, run_go
from ago.protocol.errors import AgoError
from ago.workspace.packages import Graph, ModuleInfo, relative
from grammar_ops.scope import PackageInfo

_ROLES = {
    "GoFiles": "go", "CgoFiles": "cgo", "TestGoFiles": "test", "XTestGoFiles": "xtest",
    "IgnoredGoFiles": "ignored",
}  # fmt: skip
_IMPORTS = ("Imports", "TestImports", "XTestImports")
_FIELDS = ",".join(["ImportPath", "Name", "Dir", "Module", *_ROLES, *_IMPORTS])


class _Module(TypedDict, total=False):
    Path: str
    Dir: str
    GoVersion: str


class _Listed(TypedDict, total=False):
    ImportPath: str
    Name: str
    Dir: str
    Module: _Module
    GoFiles: list[str]
    CgoFiles: list[str]
    TestGoFiles: list[str]
    XTestGoFiles: list[str]
    IgnoredGoFiles: list[str]
    Imports: list[str]
    TestImports: list[str]
    XTestImports: list[str]


def list_graph(go: Go, root: Path) -> Graph:
    """The packages that `go list` finds in the workspace; AgoError(load_failed) when it can't."""
    pattern = "work" if (root / "go.work").exists() and go.gowork != "off" else "./..."
    result = run_go(go, ["list", "-e", f"-json={_FIELDS}", "--", pattern], cwd=root)
    if result.code != 0 and not result.stdout:
        raise AgoError("load_failed", result.complaint, "run `go list ./...` in the workspace")
    packages: dict[str, PackageInfo] = {}
    importers: dict[str, set[str]] = defaultdict(set)
    modules: dict[str, ModuleInfo] = {}
    mains = set()
    for listed in _decode(result.stdout):
        if "Dir" not in listed:
            continue
        info = _package(str(root), listed)
        packages[info.pkg] = info
        if info.name == "main":
            mains.add(info.pkg)
        if module := listed.get("Module"):
            folder = module.get("Dir", "")
            folder = "." if folder == str(root) else relative(str(root), folder)
            version = module.get("GoVersion", "")
            modules[info.module] = ModuleInfo(info.module, folder, version)
        for imported in _imports(listed):
            importers[imported].add(info.pkg)
    return Graph(
        root=str(root),
        packages=dict(sorted(packages.items())),
        mains=frozenset(mains),
        by_dir={info.dir: pkg for pkg, info in packages.items()},
        owners={path: (i.pkg, role) for i in packages.values() for path, role in i.files},
        importers={path: frozenset(pkgs) for path, pkgs in importers.items()},
        modules=tuple(modules[path] for path in sorted(modules)),
    )


def _decode(stdout: bytes) -> Iterator[_Listed]:
    """The objects that `go list -json` prints one after the other, each from `{` to a bare `}`."""
    for chunk in stdout.split(b"\n}\n"):
        if chunk.strip():
            listed: _Listed = orjson.loads(chunk + b"\n}")
            yield listed


def _package(root: str, listed: _Listed) -> PackageInfo:
    folder = listed["Dir"]
    inside = "." if folder == root else relative(root, folder)
    prefix = "" if inside == "." else f"{inside}/"
    files = [
        (prefix + name, role)
        for key, role in _ROLES.items()
        for name in listed.get(key, ())  # type: ignore[attr-defined]
    ]
    module = listed.get("Module", {}).get("Path", "")
    name = listed.get("Name", "")
    return PackageInfo(listed["ImportPath"], name, inside, module, tuple(sorted(files)))


def _imports(listed: _Listed) -> Iterator[str]:
    for key in _IMPORTS:
        yield from listed.get(key, ())  # type: ignore[misc]
