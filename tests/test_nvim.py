"""The Neovim plugin in a real Neovim: rename, code actions, agents, unsaved buffers, views."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from workspaces import copy_demo

pytestmark = [pytest.mark.go, pytest.mark.daemon]

BIN = Path(sys.executable).parent
PLUGIN = Path(__file__).resolve().parent.parent / "editors" / "nvim"


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory, ago_dirs: Dirs) -> dict[str, Any]:
    """What the script in Neovim said, by step: one Neovim and one daemon for all."""
    folder = tmp_path_factory.mktemp("nvim")
    root = copy_demo(folder)
    (folder / "run").mkdir(mode=0o700)
    env = {k: v for k, v in os.environ.items() if not k.startswith("AGO_")} | ago_dirs.env()
    env |= {"XDG_RUNTIME_DIR": str(folder / "run"), "XDG_STATE_HOME": str(folder / "state")}
    env |= {"XDG_DATA_HOME": str(folder / "data"), "NVIM_LOG_FILE": str(folder / "nvim.log")}
    command = [BIN / "nvim", "--clean", "--headless", "-l", PLUGIN / "tests" / "run.lua"]
    try:
        done = subprocess.run(
            [*command, PLUGIN, BIN / "ago"], cwd=root, env=env, text=True, capture_output=True,
            timeout=240, check=False,
        )  # fmt: skip
    finally:
        subprocess.run(
            [BIN / "ago", "daemon", "stop"], cwd=root, env=env, capture_output=True, check=False
        )
    said = [
        json.loads(line[line.index("{") :]) for line in done.stdout.splitlines() if '"step"' in line
    ]
    found = {row["step"]: row["value"] for row in said}
    assert "references" in found, (found, done.stderr[-2000:])
    return found


def test_a_rename_is_written_and_read_again(steps: dict[str, Any]):
    assert steps["rename"]["modified"] is False
    assert any("lib.Twice" in line for line in steps["rename"]["main"])


def test_a_code_action_asks_and_is_made(steps: dict[str, Any]):
    assert any("accepted" in text for text in steps["action"]["told"])


def test_an_agents_edit_shows_up(steps: dict[str, Any]):
    assert steps["agent"] == 0


def test_unsaved_text_takes_an_agents_edit_in_and_stays(steps: dict[str, Any]):
    assert steps["agent again"] == 0
    merged = steps["merged"]
    assert merged["first"] == "// typed, not saved" and merged["modified"] is True
    assert not merged["disk"].startswith("// typed")


def test_a_rename_never_writes_over_unsaved_text(steps: dict[str, Any]):
    assert steps["unsaved"] == {"disk": False, "typed": True}


def test_views_and_history_are_shown_and_undo_works(steps: dict[str, Any]):
    assert any(line.strip().startswith("n1:") for line in steps["view"]), steps["view"]
    assert "rename demo/lib.Limit to Most" in steps["log"][0]
    assert steps["undone"] is True


def test_a_view_follows_a_rename(steps: dict[str, Any]):
    assert steps["followed"] == ["ago://view/demo/lib.TwiceOver"]
