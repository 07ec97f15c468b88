"""A proposed tree as the go command takes it: an overlay that maps edited paths to a shadow tree.

Invariant: nothing of the workspace is copied or touched; the shadow tree lives outside of it and
ends with the block.
"""

from __future__ import annotations

import json
import posixpath
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ago.checker.checker import Overlay

_SHADOW = re.compile(r"/ago-overlay-[^/]+/tree/(.+)$")


@dataclass(frozen=True)
class Stage:
    """An overlay on disk: the flags that name it, and how to read the paths that go prints."""

    root: Path
    flags: tuple[str, ...]
    folder: str = ""
    """Where the go command runs, below the root."""

    def locate(self, printed: str) -> str:
        """Workspace-relative path of a printed one; a path outside the workspace stays as it is."""
        # The go command caches what vet says: it may name a shadow tree of an earlier run.
        if shadow := _SHADOW.search(printed):
            return shadow[1]
        path = Path(printed)
        if path.is_absolute():
            return path.relative_to(self.root).as_posix() if self.root in path.parents else printed
        # The go command prints paths relative to its folder.
        return posixpath.normpath(posixpath.join(self.folder, path.as_posix()))


@contextmanager
def staged(overlay: Overlay, root: Path, folder: str = "") -> Iterator[Stage]:
    """Write the shadow tree of `overlay`; gone again when the block ends."""
    if not overlay:
        yield Stage(root, (), folder)
        return
    with tempfile.TemporaryDirectory(prefix="ago-overlay-") as name:
        shadow = Path(name).resolve()
        replace = {}
        for path, text in overlay.items():
            target = shadow / "tree" / path
            if text is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text)
            replace[str(root / path)] = str(target) if text is not None else ""
        listing = shadow / "overlay.json"
        listing.write_text(json.dumps({"Replace": replace}), encoding="utf-8")
        yield Stage(root, ("-overlay", str(listing)), folder)
