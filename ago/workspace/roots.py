"""Keys of a workspace: what names its folders in the cache and in the state home.

Invariant: one root, seen through any symlink to it, has one key; two builds of it have two.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from ago.checker.gocmd import Go
from ago.protocol.errors import AgoError

_NAME = "root"
"""File of a facts folder that holds the path of its root."""


def root_hash(root: Path) -> str:
    """16 hex digits that name a root: its journal, history and generations."""
    return _digest(str(root.resolve()))


def build_hash(root: Path, go: Go) -> str:
    """16 hex digits that name a root and the build it is seen through: its facts."""
    env = go.env
    build = [go.goflags, go.gowork, str(go.goroot)]
    build += [env.get(name, "") for name in ("GOOS", "GOARCH", "CGO_ENABLED", "GOEXPERIMENT")]
    return _digest(str(root.resolve()), *build)


def make_folder(folder: Path, variable: str) -> None:
    """Make a folder of ours; raises AgoError folder_unwritable. `variable` moves it elsewhere."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        mend = f"make it writable, or set {variable} to a folder that is; `ago doctor` checks all"
        message = f"{folder}: {error.strerror}"
        raise AgoError("folder_unwritable", message, mend) from error


def facts_folder(cache_dir: Path, root: Path, go: Go) -> Path:
    """The folder of a workspace's facts; it names its root, so that it goes when the root does."""
    folder = cache_dir / "facts" / build_hash(root, go)
    make_folder(folder, "XDG_CACHE_HOME")
    (folder / _NAME).write_text(f"{root.resolve()}\n")
    return folder


def drop_vanished(cache_dir: Path, keep: Path) -> list[Path]:
    """Delete the facts of roots that are no more; what was deleted."""
    gone = []
    for name in (cache_dir / "facts").glob(f"*/{_NAME}"):
        folder = name.parent
        with contextlib.suppress(OSError):
            if folder != keep and not Path(name.read_text().rstrip("\n")).exists():
                shutil.rmtree(folder)
                gone.append(folder)
    return gone


def _digest(*parts: str) -> str:
    return hashlib.sha256(os.fsencode("\0".join(parts))).hexdigest()[:16]
