"""Workspaces for tests: modules written from a dict of files, opened with the run's cache."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dirs import Dirs

from ago.config import Config
from ago.workspace.workspace import Workspace

DEMO = Path(__file__).resolve().parent.parent / "testdata" / "demo"


def write(root: Path, files: Mapping[str, str | None]) -> Path:
    """Write files below a folder; None deletes one."""
    for name, text in files.items():
        path = root / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def copy_demo(to: Path) -> Path:
    """A copy of testdata/demo."""
    return Path(shutil.copytree(DEMO, to / "demo"))


@contextmanager
def opened(
    root: Path,
    dirs: Dirs,
    progress: Callable[[str, int, int], None] | None = None,
    config: Config | None = None,
) -> Iterator[Workspace]:
    """A workspace on `root`, closed afterwards."""
    state = dirs.state / root.parent.name
    workspace = Workspace(
        root, config or Config(), dirs.cache / "ago", state, env=dirs.env(), progress=progress
    )
    try:
        yield workspace
    finally:
        workspace.close()
