"""doctor: what is missing is named with its mend, what is there is not complained about."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs

from ago.protocol.errors import AgoError
from ago.scaffold.doctor import examine, look_at_ago, look_at_command, look_at_folder, owner_of
from ago.scaffold.surroundings import look_at_clients, look_at_go_caches, look_at_gopls
from ago.workspace.roots import make_folder


def findings(root: Path | None, env: dict[str, str]) -> dict[str, dict[str, Any]]:
    answer: Any = examine(root, env)
    return {row["what"]: row for row in answer["findings"]}


@pytest.mark.go
def test_a_machine_with_everything_is_healthy(ago_dirs: Dirs, tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module m\n")
    rows = findings(tmp_path, ago_dirs.env())
    assert rows["go"]["found"].startswith("go1.")
    assert rows["workspace"]["found"] == f"{tmp_path} (go.mod)"
    bad = [what for what, row in rows.items() if not row["ok"] and what != "command"]
    assert bad == []


def test_what_is_missing_comes_with_its_mend(ago_dirs: Dirs, tmp_path: Path) -> None:
    (tmp_path / "ago.toml").write_text("gate = 1\n")
    rows = findings(tmp_path, ago_dirs.env() | {"XDG_RUNTIME_DIR": "/nowhere"})
    assert not rows["config"]["ok"]
    assert rows["config"]["mend"]
    assert rows["daemon"]["ok"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    found = look_at_folder("cache", blocker / "ago", "XDG_CACHE_HOME")
    assert not found.ok
    assert "XDG_CACHE_HOME" in found.mend


def test_a_distribution_that_owns_the_same_modules_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owners = {"ago": ["ago-go", "agoo"]}
    monkeypatch.setattr(metadata, "packages_distributions", lambda: owners)
    monkeypatch.setattr(metadata, "version", lambda name: "0.1.1")
    found = look_at_ago()
    assert not found.ok and "agoo 0.1.1" in found.found
    assert found.mend.startswith("pip uninstall agoo && pip install --force-reinstall ago-go")
    owners["ago"] = ["ago-go"]
    assert look_at_ago().ok


def test_clients_that_start_what_is_gone_are_named(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert look_at_clients(None, env).ok
    assert look_at_clients(tmp_path, env).mend == "run `ago init`"
    (tmp_path / "opencode.jsonc").write_text('{"mcp": {"servers": {"ago": {"command": ["ago"]}}}}')
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('[mcp_servers.ago]\ncommand = "/gone/ago"\n')
    found = look_at_clients(tmp_path, env)
    assert not found.ok and found.found == "Codex starts /gone/ago, which is not there"
    (tmp_path / ".codex" / "config.toml").write_text("")
    assert look_at_clients(tmp_path, env).found == "OpenCode"


@pytest.mark.go
def test_what_go_cannot_write_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = dict(os.environ) | {"GOCACHE": str(tmp_path / "file" / "cache")}
    found = look_at_go_caches(env)
    assert not found.ok and "export GOCACHE=" in found.mend


def test_gopls_is_optional(tmp_path: Path) -> None:
    assert look_at_gopls({"PATH": str(tmp_path)}).ok
    (tmp_path / "gopls").write_text("#!/bin/sh\necho golang.org/x/tools/gopls v0.23.0\n")
    (tmp_path / "gopls").chmod(0o755)
    assert look_at_gopls({"PATH": str(tmp_path)}).found == f"v0.23.0, {tmp_path}/gopls"


def test_another_program_called_ago_is_named(tmp_path: Path) -> None:
    other = tmp_path / "ago"
    other.write_text("#!/usr/bin/python3\nfrom ago_humanize.cli import main\nmain()\n")
    other.chmod(0o755)
    found = look_at_command({"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"})
    assert not found.ok
    assert "the Python package ago_humanize" in found.found
    assert str(tmp_path) in found.mend
    assert look_at_command({"PATH": "/nowhere"}).ok


def test_our_own_script_is_known_anywhere(tmp_path: Path) -> None:
    script = tmp_path / "ago"
    script.write_text("#!/x/python\nimport sys\nfrom ago.daemon.client import main\n")
    assert owner_of(script) == "ago-go"
    script.write_bytes(b"\x7fELF\x00")
    assert owner_of(script) == "another program"


def test_a_folder_of_ours_that_cannot_be_made_is_a_failure_with_its_mend(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AgoError, match="Not a directory") as caught:
        make_folder(tmp_path / "file" / "ago", "XDG_STATE_HOME")
    assert caught.value.key == "folder_unwritable"
    assert "XDG_STATE_HOME" in caught.value.mend
