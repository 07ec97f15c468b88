"""A hostile workspace: opening it runs nothing of it, downloads nothing and changes nothing."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path

import pytest
from dirs import Dirs
from workspaces import write

from ago.checker.gocmd import Go, run_go
from ago.config import Config
from ago.protocol.errors import AgoError, Busy
from ago.queries.catalog import QUERIES
from ago.workspace.workspace import Workspace

pytestmark = pytest.mark.go


def trap(folder: Path, name: str) -> tuple[Path, Path]:
    """A program that leaves a mark when it is run, and the mark."""
    mark = folder / f"{name}.ran"
    program = folder / name
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\nexit 1\n")
    program.chmod(0o755)
    return program, mark


def test_opening_runs_nothing_and_changes_nothing(tmp_path: Path, ago_dirs: Dirs) -> None:
    monitor, monitored = trap(tmp_path, "fsmonitor")
    tool, ran = trap(tmp_path, "toolexec")
    wrapper, wrapped = trap(tmp_path, "wrapper")
    go_mod = "module hostile\n\ngo 1.26\n"
    root = write(
        tmp_path / "w",
        {
            "go.mod": go_mod,
            "main.go": "package main\n\nfunc main() {}\n",
            "c/c.go": f"package c\n\n// #cgo CFLAGS: -wrapper {wrapper}\n"
            '// #cgo pkg-config: --define-prefix=/ evil\nimport "C"\n',
        },
    )
    git = ["git", "-c", "init.defaultBranch=main", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "config", "core.fsmonitor", str(monitor)], check=True)
    env = ago_dirs.env() | {
        "GOFLAGS": f"-toolexec={tool} -mod=mod -overlay={tmp_path}/none.json -buildvcs=true",
    }
    workspace = Workspace(root, Config(), ago_dirs.cache / "ago", tmp_path / "state", env=env)
    try:
        with workspace.snapshot() as snapshot:
            QUERIES["status"].answer(snapshot, QUERIES["status"].request())
            assert "hostile" in snapshot.packages()
    finally:
        workspace.close()
    assert not monitored.exists()
    assert not ran.exists()
    assert not wrapped.exists()
    assert (root / "go.mod").read_text() == go_mod
    assert not (root / "go.sum").exists()


def test_a_toolchain_line_downloads_nothing(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(
        tmp_path / "w",
        {"go.mod": "module m\n\ngo 1.99\n\ntoolchain go1.99.1\n", "m.go": "package m\n"},
    )
    workspace = Workspace(
        root, Config(), ago_dirs.cache / "ago", tmp_path / "state", env=ago_dirs.env()
    )
    try:
        with pytest.raises(AgoError) as caught:
            workspace.snapshot()
    finally:
        workspace.close()
    assert caught.value.exit_code == 69
    assert "1.99" in caught.value.message


def test_a_command_ends_at_its_limit_with_its_children(tmp_path: Path) -> None:
    shell = Go(Path("/bin/sh"), tmp_path, "go1.26", dict(os.environ))
    script = "sleep 600 & echo $! > child; wait"
    with pytest.raises(Busy) as caught:
        run_go(shell, ["-c", script], cwd=tmp_path, timeout=0.5)
    assert caught.value.key == "go_timeout"
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 5
    while _lives(child):
        assert time.monotonic() < deadline, "the child outlived its parent"
        time.sleep(0.01)


def test_a_stopped_command_ends_at_once(tmp_path: Path) -> None:
    shell = Go(Path("/bin/sh"), tmp_path, "go1.26", dict(os.environ))
    stop = threading.Event()
    stop.set()
    with pytest.raises(Busy) as caught:
        run_go(shell, ["-c", "sleep 600"], cwd=tmp_path, stop=stop)
    assert caught.value.key == "go_stopped"


def _lives(pid: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
