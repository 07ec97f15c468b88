"""The ago under test on one repository: its own caches, its daemon, calls through the socket."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ago import wire
from ago.daemon import place
from bench.procs import resident_mb

Response = dict[str, Any]


class Subject:
    """ago on `root`, with caches and state below `home`."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root.resolve()
        self.command = Path(sys.executable).with_name("ago")
        self.cache = home / "cache"
        self.env = {
            **os.environ,
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_STATE_HOME": str(home / "state"),
        }
        # An installed package has its byte code; without it the compiler would be timed.
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)
        self._connection: socket.socket | None = None

    def run(self, *argv: str) -> Response:
        """One `ago` command as a process; its JSON answer."""
        done = subprocess.run(
            [str(self.command), "-C", str(self.root), "--json", *argv],
            env=self.env, capture_output=True, check=False,
        )  # fmt: skip
        answer: Response = json.loads(done.stdout)
        return answer

    def call(self, tool: str, **args: Any) -> tuple[float, Response]:
        """One tool call through the daemon's socket: (milliseconds, answer)."""
        request = wire.pack_frame(wire.CALL, json.dumps({"tool": tool, "args": args}).encode())
        started = time.perf_counter()
        connection = self._connect()
        connection.sendall(request)
        frame = wire.read_frame(connection.recv)
        ms = 1000 * (time.perf_counter() - started)
        assert frame is not None and frame[0] == wire.ANSWER
        answer: Response = json.loads(frame[1])
        return ms, answer

    def stop(self) -> None:
        """End the daemon, and wait until it and its checker are gone."""
        if self._connection:
            self._connection.close()
            self._connection = None
        subprocess.run(
            [str(self.command), "-C", str(self.root), "daemon", "stop"],
            env=self.env, capture_output=True, check=False,
        )  # fmt: skip
        while resident_mb(str(self.root)):
            time.sleep(0.01)

    def forget(self, *, dependencies: bool) -> None:
        """Remove the facts, when asked the checked dependencies too; the agocheck build stays."""
        self.stop()
        for folder in (self.cache / "ago").iterdir():
            if folder.name == "facts" or (folder.name == "deps" and dependencies):
                shutil.rmtree(folder)

    def first_answer(self) -> float:
        """Seconds from nothing running to the answer of `ago status`."""
        started = time.perf_counter()
        answer = self.run("status")
        assert answer["status"] == "ok", answer
        return time.perf_counter() - started

    def memory(self) -> dict[str, float]:
        """Resident megabytes of the daemon and of agocheck."""
        return resident_mb(str(self.root))

    def _connect(self) -> socket.socket:
        if self._connection is None:
            self.run("status")
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(place.socket_path(str(self.root), self.env))
            self._connection = connection
        return self._connection
