"""`python -m ago`: the command line in this process; also how daemons are started."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ago.daemon import place
from ago.protocol.errors import AgoError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ago.daemon.link import Service
    from ago.fronts.resident import Host

YOUNG_OBJECTS = 100_000
"""Modules, rows and trees come in such numbers, and hardly any of them in cycles."""


def run() -> int:
    """Run the command line of this process and return its exit code."""
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
    match sys.argv[1:]:
        case ["lsp"]:
            return serve_editor()
        case ["daemon", "-C", folder]:
            with suppress(AgoError):  # the command line will fail as well, and say so
                return serve_workspace(folder)
    # Importing makes enough objects to be worth it.
    from ago.main import main

    return main(sys.argv[1:])


def serve_workspace(folder: str) -> int:
    """Serve the workspace around a folder; what only its calls need is imported when one comes."""
    from ago.fronts.resident import run_daemon

    def open_host(root: Path, env: Mapping[str, str]) -> Host:
        from ago import main

        return main.Host(root, env)

    root = place.find_root(folder, os.environ.get("GOWORK", ""))
    return run_daemon(Path(root) if root else None, os.environ, open_host)


def serve_editor() -> int:
    """Serve an editor, without importing what only workspaces in this process need."""
    from ago.fronts.lsp.features import serve_stdio

    def open_here(root: str) -> Service:
        from ago.main import Host

        return Host(Path(root), os.environ)

    return serve_stdio(open_here)


if __name__ == "__main__":
    sys.exit(run())
