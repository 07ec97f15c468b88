"""Another build of ago as a peer: the same command line, timed as a process."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from bench.procs import resident_mb


class Peer:
    """A binary with ago's command line, on one folder."""

    def __init__(self, name: str, binary: str, root: Path) -> None:
        self.name, self.binary, self.root = name, binary, root.resolve()

    def first_answer(self) -> float:
        """Seconds from nothing running to the answer of `status`."""
        self.stop()
        return self.timed("status") / 1000

    def timed(self, *argv: str) -> float:
        """Milliseconds of one command."""
        started = time.perf_counter()
        self._run(*argv)
        return 1000 * (time.perf_counter() - started)

    def memory(self) -> float:
        """Resident megabytes of its daemon."""
        return sum(resident_mb(f"{self.binary} daemon").values())

    def stop(self) -> None:
        """End its daemon."""
        self._run("daemon", "stop")

    def _run(self, *argv: str) -> None:
        command = [self.binary, "-C", str(self.root), *argv]
        subprocess.run(command, capture_output=True, check=False)
