"""Have agocheck built while its user still reads what init has done: the first edit waits less.

Invariant: a process of its own that ends with its build; who needs agocheck meanwhile waits for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress


def build_ahead(env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process that builds agocheck where it is not there; nobody has to wait for it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "ago.scaffold.ahead"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(env),
        cwd="/",
        start_new_session=True,
    )


def _build() -> None:
    from ago.checker.build import find_agocheck
    from ago.checker.gocmd import find_go
    from ago.config import cache_home
    from ago.protocol.errors import AgoError

    with suppress(AgoError):  # the first edit will fail as well, and say so
        find_agocheck(find_go(), cache_home(os.environ))


if __name__ == "__main__":
    _build()
