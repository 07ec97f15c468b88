"""Build hook: agocheck's Go dependencies are vendored when a distribution is built.

Invariant: an installation never needs the network for its first start; a checkout stays as it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("ago", "checker_go")


class VendorHook(BuildHookInterface[Any]):
    """Fills ago/checker_go/vendor before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Vendor, unless that was done; an editable installation builds from the module cache."""
        source = Path(self.root, SOURCE)
        if version == "editable" or (source / "vendor" / "modules.txt").is_file():
            return
        go = shutil.which("go")
        if go is None:
            self.app.display_warning("no go command: agocheck will fetch x/tools when it is built")
            return
        env = {**os.environ, "GOFLAGS": "", "GOWORK": "off"}
        subprocess.run([go, "mod", "vendor"], cwd=source, env=env, check=True)
