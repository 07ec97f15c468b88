"""`python -m ago`: the command line in this process; also how daemons are started."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ago.daemon.link import Service

YOUNG_OBJECTS = 100_000
"""Modules, rows and trees come in such numbers, and hardly any of them in cycles."""


def run() -> int:
    """Run the command line of this process and return its exit code."""
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
    if sys.argv[1:] == ["lsp"]:
        return serve_editor()
    # Importing makes enough objects to be worth it.
    from ago.main import main

    return main(sys.argv[1:])


def serve_editor() -> int:
    """Serve an editor, without importing what only workspaces in this process need."""
    from ago.fronts.lsp.features import serve_stdio

    def open_here(root: str) -> Service:
        from ago.main import Host

        return Host(Path(root), os.environ)

    return serve_stdio(open_here)


if __name__ == "__main__":
    sys.exit(run())
