"""A user's shell in a copy of the demo module, with processes that a test can look at and end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ago.daemon import place

AGO = Path(sys.executable).with_name("ago")
DEMO = Path(__file__).parent.parent / "testdata" / "demo"


class Shell:
    """A user's shell in a copy of the demo module, with folders of its own."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.root = folder / "demo"
        shutil.copytree(DEMO, self.root)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("AGO_")}
        for name in ("run", "state", "config"):
            (folder / name).mkdir(mode=0o700)
        self.env |= {
            "XDG_RUNTIME_DIR": str(folder / "run"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CACHE_HOME": str(cache),
        }
        self.target = Path(place.socket_path(str(self.root.resolve()), self.env))

    def ago(self, *argv: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run the command."""
        return subprocess.run(
            [AGO, *argv], cwd=self.root, env=self.env | env, input=stdin, text=True,
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip

    def start(self, *argv: str) -> subprocess.Popen[bytes]:
        """Start the command and leave it running."""
        return subprocess.Popen(
            [AGO, *argv],
            cwd=self.root,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def daemons(self) -> list[int]:
        """Process ids of the daemons of this root, as `ps` shows them."""
        return [pid for pid, words in processes() if words[-3:] == ["daemon", "-C", str(self.root)]]

    def checkers(self) -> list[int]:
        """Process ids of the checkers of this root."""
        return [
            pid for pid, words in processes() if "agocheck" in words[0] and str(self.root) in words
        ]


def processes() -> Iterator[tuple[int, list[str]]]:
    """(id, words of the command line) of every process that runs."""
    listing = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True
    )
    for line in listing.stdout.splitlines():
        pid, *words = line.split()
        if words and words[-1] != "<defunct>":
            yield int(pid), words


def wait_for(condition: Callable[[], Any], seconds: float = 10) -> None:
    """Wait until it is true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


@contextmanager
def shell_in_demo(cache: Path) -> Iterator[Shell]:
    """A shell whose daemon is stopped, and whose folders are removed, at the end."""
    # sun_path is short: pytest's own folders are often too deep for a socket.
    folder = Path("/tmp") / f"ago-test-{os.getpid()}-{time.monotonic_ns() % 10**9}"
    folder.mkdir(mode=0o700)
    shell = Shell(folder, cache)
    try:
        yield shell
    finally:
        shell.ago("daemon", "stop")
        for pid in shell.daemons():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(folder)
