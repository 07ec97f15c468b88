"""The folders that a test run gives to ago in place of the user's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Dirs(NamedTuple):
    """Folders of a test run, as the environment names them."""

    cache: Path
    state: Path
    config: Path

    def env(self) -> dict[str, str]:
        """The environment of a process that uses these folders."""
        return os.environ | {
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_STATE_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.config),
        }
