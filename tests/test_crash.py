"""The daemon killed within a commit: afterwards the tree is the old or the new one, whole."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from dirs import Dirs

from ago.daemon import place

pytestmark = [pytest.mark.daemon, pytest.mark.go]

AGO = Path(sys.executable).with_name("ago")
DEMO = Path(__file__).parent.parent / "testdata" / "demo"
STEPS = 16
"""At least as many as a commit of the rename below has; a later step is never reached."""

DAEMON = """
import os, signal, sys
from ago.commit.commit import commit
from ago.main import main

left = int(sys.argv[2])

def on_step(name):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1

commit.__kwdefaults__["on_step"] = on_step
sys.exit(main(["daemon", "-C", sys.argv[1]]))
"""


def read_tree(root: Path) -> dict[str, bytes]:
    """Every file below root, litter included."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def crash(folder: Path, dirs: Dirs, seed: int) -> tuple[bool, bool]:
    """One rename with the daemon killed at a step of the seed: (was it answered, did it land)."""
    root = folder / f"demo{seed}"
    shutil.copytree(DEMO, root)
    old = read_tree(root)
    env = dirs.env() | {"XDG_STATE_HOME": str(folder / f"state{seed}")}
    target = Path(place.socket_path(str(root.resolve()), env))
    step = random.Random(seed).randrange(STEPS)
    daemon = subprocess.Popen(
        [sys.executable, "-c", DAEMON, str(root.resolve()), str(step)], env=env
    )
    deadline = time.monotonic() + 60
    while not target.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    answer = ago(root, env, "rename", "demo/lib.Double", "Twice")
    accepted = answer.get("status") == "accepted"
    if not accepted:
        daemon.wait(timeout=60)
    log = ago(root, env, "log")
    tree = read_tree(root)
    landed = tree != old
    ago(root, env, "daemon", "stop")
    daemon.wait(timeout=60)
    assert not [path for path in tree if "/.ago-" in f"/{path}"]
    assert log["count"] == int(landed)
    if landed:
        assert b"Double" not in b"".join(text for path, text in tree.items() if path[-3:] == ".go")
        assert set(tree) == set(old)
    assert landed or not accepted
    return accepted, landed


def ago(root: Path, env: dict[str, str], *argv: str) -> dict[str, object]:
    """The JSON answer of a command."""
    done = subprocess.run(
        [AGO, "-C", str(root), "--json", *argv],
        env=os.environ | env, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("seed", range(6))
def test_a_killed_daemon_leaves_the_old_or_the_new_tree(
    tmp_path: Path, ago_dirs: Dirs, seed: int
) -> None:
    crash(tmp_path, ago_dirs, seed)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_hundred_seeds(tmp_path: Path, ago_dirs: Dirs) -> None:
    outcomes = {crash(tmp_path, ago_dirs, seed) for seed in range(200)}
    assert outcomes == {(False, False), (False, True), (True, True)}
