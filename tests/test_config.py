"""Configuration: the user's file, the workspace's, and what the latter may not do."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from ago.config import LIMITS, Config, load_config
from ago.protocol.errors import AgoError


def load(tmp_path: Path, workspace: str = "", user: str = "") -> Config:
    root, home = tmp_path / "w", tmp_path / "config"
    (home / "ago").mkdir(parents=True)
    root.mkdir()
    (root / "ago.toml").write_text(workspace)
    (home / "ago" / "config.toml").write_text(user)
    return load_config(root, {"XDG_CONFIG_HOME": str(home)})


def test_without_files_the_defaults_hold(tmp_path: Path) -> None:
    assert load_config(tmp_path, {"HOME": str(tmp_path)}) == Config()


def test_the_workspace_decides_how_edits_are_judged(tmp_path: Path) -> None:
    config = load(tmp_path, 'gate = "toolchain"\nproof = "strict"\ncontexts = ["windows/amd64"]')
    assert config.gate == "toolchain"
    assert config.proof == "strict"
    assert config.contexts == ("windows/amd64",)


def test_a_workspace_lowers_limits_but_never_raises_them(tmp_path: Path) -> None:
    config = load(tmp_path, "memory_mb = 100000\nidle_minutes = 1", "memory_mb = 900")
    assert config.memory_mb == 900
    assert config.idle_minutes == 1


def test_the_user_may_raise_limits(tmp_path: Path) -> None:
    assert load(tmp_path, user="memory_mb = 8000").memory_mb == 8000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('gates = "toolchain"', "did you mean gate?"),
        ('gate = "none"', "gate must be resident or toolchain"),
        ("strict_vet = 1", "strict_vet must be bool"),
        ("memory_mb = 0", "more than 0"),
        ("memory_mb = true", "memory_mb must be int"),
        ('contexts = "linux"', "a list of strings"),
        ("not toml", "ago.toml"),
        ('checker = "/tmp/evil"', "unknown key checker"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(AgoError) as caught:
        load(tmp_path, text)
    assert caught.value.key == "config_invalid"
    assert said in caught.value.message


def test_the_page_names_each_key_with_its_default(root: Path) -> None:
    page = (root / "docs" / "configuration.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)`", page, re.MULTILINE))
    shown = {key: json.loads(text) for key, text in rows.items()}
    assert shown == json.loads(json.dumps(asdict(Config())))
    limits = set(re.findall(r"^\| `(\w+)` .*\(limit\) \|$", page, re.MULTILINE))
    assert limits == set(LIMITS)
