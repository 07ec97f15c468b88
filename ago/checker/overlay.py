"""A proposed tree as the go command takes it: an overlay that maps edited paths to a shadow tree.

Invariant: nothing of the workspace is copied or touched; the shadow tree lives outside of it and
ends with the block.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ago.checker.checker import Overlay


@dataclass(frozen=True)
class Stage:
    """An overlay on disk: the flags that name it, and how to read the paths that go prints."""

    root: Path
    flags: tuple[str, ...]
    shadows: dict[str, str]
    """Shadow file -> workspace-relative path."""

    def locate(self, printed: str) -> str:
        """Workspace-relative path of a printed one; a path outside the workspace stays as it is."""
        if printed in self.shadows:
            return self.shadows[printed]
        path = Path(printed)
        if path.is_absolute():
            return path.relative_to(self.root).as_posix() if self.root in path.parents else printed
        # The go command prints paths relative to its folder, which is the root.
        return path.as_posix()


@contextmanager
def staged(overlay: Overlay, root: Path) -> Iterator[Stage]:
    """Write the shadow tree of `overlay`; gone again when the block ends."""
    if not overlay:
        yield Stage(root, (), {})
        return
    with tempfile.TemporaryDirectory(prefix="ago-overlay-") as name:
        folder = Path(name).resolve()
        replace, shadows = {}, {}
        for number, (path, text) in enumerate(sorted(overlay.items())):
            shadow = ""
            if text is not None:
                # One folder a file: base names stay readable in messages and never collide.
                target = folder / str(number) / Path(path).name
                target.parent.mkdir()
                target.write_bytes(text)
                shadow = str(target)
                shadows[shadow] = path
            replace[str(root / path)] = shadow
        listing = folder / "overlay.json"
        listing.write_text(json.dumps({"Replace": replace}), encoding="utf-8")
        yield Stage(root, ("-overlay", str(listing)), shadows)
