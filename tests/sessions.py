"""Sessions for tests: in this process, and behind the real `ago` command."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ago.main import open_session

Json = dict[str, Any]
Dirs = tuple[Path, Path]
AGO = Path(sys.executable).with_name("ago")


class Calls:
    """A session as a function from tool and arguments to an answer."""

    def __init__(self, session: Any) -> None:
        """Wrap an open session."""
        self.session = session

    def __call__(self, tool: str, args: Json) -> Json:
        """The answer of one tool call."""
        answer: Json = self.session.call(tool, args)
        return answer


@contextlib.contextmanager
def opened(root: Path, dirs: Dirs) -> Iterator[Calls]:
    """A session on `root`, with the cache that all tests share and a state folder of its own."""
    cache, state = dirs
    session = open_session(root, cache_dir=cache, state_dir=state / root.parent.name)
    try:
        yield Calls(session)
    finally:
        session.close()


def run_ago(
    root: Path, argv: list[str], stdin: str, *, cache: Path, state: Path
) -> subprocess.CompletedProcess[str]:
    """Run the real command in `root` with cache and state folders of its own."""
    env = os.environ | {"XDG_CACHE_HOME": str(cache), "XDG_STATE_HOME": str(state)}
    return subprocess.run(
        [str(AGO), "-C", str(root), *argv],
        input=stdin, capture_output=True, text=True, check=False, env=env, timeout=120,
    )  # fmt: skip
