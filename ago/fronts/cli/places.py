"""Relative places on a command line, as places in the workspace.

Invariant: only what is a path by its look, or a file that is there, is rewritten.
"""

from __future__ import annotations

import os
from pathlib import Path

from grammar_ops.reject import Json


def localise(args: dict[str, Json], base: Path, root: Path | None) -> dict[str, Json]:
    """`args` with folders in `pkg`, files in `sym` and `path` relative to the workspace."""
    if root is None:
        return args
    out = dict(args)
    pkg, sym, path = args.get("pkg"), args.get("sym"), args.get("path")
    if isinstance(pkg, str) and _is_folder(pkg):
        out["pkg"] = _inside(pkg, base, root, "./")
    if isinstance(sym, str) and sym:
        file, colon, rest = sym.partition(":")
        if file.endswith(".go") and Path(base, file).is_file():
            out["sym"] = _inside(file, base, root, "") + colon + rest
    if isinstance(path, str) and path:
        out["path"] = _inside(path, base, root, "")
    return out


def _is_folder(pkg: str) -> bool:
    return pkg in (".", "..") or pkg.startswith(("./", "../", "/"))


def _inside(name: str, base: Path, root: Path, prefix: str) -> str:
    """A path relative to the root, or as it was given when it leads outside."""
    place = Path(os.path.realpath(base / name))
    if not place.is_relative_to(root):
        return name
    inner = place.relative_to(root).as_posix()
    return prefix + inner if inner != "." else "."
