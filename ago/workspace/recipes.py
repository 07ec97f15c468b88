# ruff: noqa: PTH118, PTH123, PTH202 - a whole tree is walked: strings
"""Build recipes: files outside of Go that say how the workspace is built: make, shells, CI.

Invariant: read when they are asked for, no part of a snapshot; of no one else's code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ago.workspace.files import SKIPPED_FOLDERS

_RECIPE = re.compile(
    r".*[Mm]akefile.*|.*\.(?:mk|sh|bash|ps1|bat|ya?ml|toml|nix|bzl|bazel)"
    r"|(?:.*\.)?(?:Docker|Container|Just|just|Task|Earth|Tilt)file(?:\..*)?"
)
_HIDDEN_OF_CI = frozenset({".github", ".gitlab", ".circleci", ".buildkite", ".ci"})
_LARGEST = 1 << 18


def read_recipes(root: Path) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of each recipe, sorted."""
    for held, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if _is_entered(name))
        for name in sorted(names):
            absolute = os.path.join(held, name)
            if _RECIPE.fullmatch(name) and os.path.getsize(absolute) <= _LARGEST:
                with open(absolute, "rb") as handle:
                    yield Path(os.path.relpath(absolute, root)).as_posix(), handle.read()


def _is_entered(folder: str) -> bool:
    return folder in _HIDDEN_OF_CI or not (folder in SKIPPED_FOLDERS or folder[0] in "._")
