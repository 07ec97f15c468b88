"""Modules of the workspace: the one that a text means, and the Go files in its folders.

Invariant: a file belongs to the module of the nearest go.mod above it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ago.workspace.address import resolve_package
from ago.workspace.files import is_outside
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Reject, register
from grammar_ops.scope import ModuleInfo

register(
    "workspace",
    {"several_modules": "the workspace has several modules: `pkg` says which is meant"},
)


def resolve_module(snapshot: Snapshot, text: str) -> ModuleInfo:
    """The module that a path, a folder or a package is of; the only one for ""."""
    modules = {module.path: module.dir for module in snapshot.graph.modules}
    by_dir = {folder: path for path, folder in modules.items()}
    if not text and len(modules) > 1:
        raise Reject("several_modules", ", ".join(modules), did_you_mean=tuple(modules))
    folder = os.path.normpath(text) if text else "."
    path = next(iter(modules), "") if not text else text if text in modules else by_dir.get(folder)
    if path is None:
        path = snapshot.packages()[resolve_package(snapshot, text)].module
    if path not in modules:
        raise Reject("package_not_found", text, did_you_mean=tuple(modules))
    return ModuleInfo(path, modules[path], _is_vendored(snapshot, modules[path]))


def module_files(snapshot: Snapshot, module: str, drafted: Iterable[str]) -> list[str]:
    """Every Go file of a module, those of a draft included, whatever the build makes of it."""
    folder = next((m.dir for m in snapshot.graph.modules if m.path == module), "")
    files = snapshot.files()
    nested = [_parent(path) for path in files if path.endswith("/go.mod")]
    below = [f for f in nested if f != folder and _is_below(f, folder)]
    return sorted(
        path
        for path in {*files, *drafted}
        if path.endswith(".go") and _is_below(path, folder)
        if not any(_is_below(path, other) for other in below)
    )


def _is_vendored(snapshot: Snapshot, folder: str) -> bool:
    """Whether a vendor folder follows the go.mod of a folder: its own, or that of go.work."""
    owners = {folder, "."} if "go.work" in snapshot.files() else {folder}
    return any((snapshot.root / owner / "vendor/modules.txt").is_file() for owner in owners)


def _is_below(path: str, folder: str) -> bool:
    return (folder == "." and not is_outside(path)) or path.startswith(f"{folder}/")


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "."
