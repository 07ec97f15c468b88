"""Keys of a workspace: what names its folders in the cache and in the state home.

Invariant: one root, seen through any symlink to it, has one key; two builds of it have two.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ago.checker.gocmd import Go


def root_hash(root: Path) -> str:
    """16 hex digits that name a root: its journal, history and generations."""
    return _digest(str(root.resolve()))


def build_hash(root: Path, go: Go) -> str:
    """16 hex digits that name a root and the build it is seen through: its facts."""
    env = go.env
    build = [go.goflags, go.gowork, str(go.goroot)]
    build += [env.get(name, "") for name in ("GOOS", "GOARCH", "CGO_ENABLED", "GOEXPERIMENT")]
    return _digest(str(root.resolve()), *build)


def _digest(*parts: str) -> str:
    return hashlib.sha256(os.fsencode("\0".join(parts))).hexdigest()[:16]
