"""A hostile workspace: opening, asking and editing runs nothing of it and writes nowhere else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from dirs import Dirs
from sessions import Json, opened

from ago.config import load_config
from ago.protocol.errors import AgoError

pytestmark = pytest.mark.go

BODY = {"pkg": "hostile", "sym": "F", "body": "return 2"}


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that every trap would make."""
    return tmp_path / "ran"


@pytest.fixture
def root(tmp_path: Path, marker: Path) -> Path:
    """A module in a git checkout whose own configuration names a program."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "go.mod").write_text("module hostile\n\ngo 1.26\n")
    (folder / "main.go").write_text(
        "package main\n\nfunc F() int { return 1 }\n\nfunc main() { println(F()) }\n"
    )
    trap = folder / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {marker}\n")
    trap.chmod(0o755)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.test"]
    for argv in (["init", "-q"], ["add", "."], ["commit", "-qm", "start"]):
        subprocess.run([*git, *argv], cwd=folder, check=True)
    for key, value in {
        "core.fsmonitor": str(trap),
        "core.hooksPath": str(folder),
        "core.sshCommand": str(trap),
        "diff.external": str(trap),
    }.items():
        subprocess.run(["git", "config", key, value], cwd=folder, check=True)
    return folder


def work(root: Path, dirs: Dirs) -> list[Json]:
    """What a user does: look, ask, edit through both checkers, take back."""
    with opened(root, dirs) as call:
        return [
            call("status", {}),
            call("refs", {"pkg": "hostile", "sym": "F"}),
            call("set_body", BODY),
            call("set_body", {**BODY, "body": "return 3", "gate": "toolchain"}),
            call("undo", {}),
        ]


def test_configuration_of_the_checkout_runs_nothing(
    root: Path, marker: Path, ago_dirs: Dirs
) -> None:
    answers = work(root, ago_dirs)
    assert [a["status"] for a in answers] == ["ok", "ok", "accepted", "accepted", "accepted"]
    assert not marker.exists()


@pytest.mark.parametrize("flags", ["-mod=mod", "-toolexec=TRAP", "-overlay=TRAP", "-modfile=TRAP"])
def test_goflags_run_and_rewrite_nothing(
    root: Path, marker: Path, ago_dirs: Dirs, monkeypatch: pytest.MonkeyPatch, flags: str
) -> None:
    monkeypatch.setenv("GOFLAGS", flags.replace("TRAP", str(root / "trap.sh")))
    before = (root / "go.mod").read_bytes()
    answers = work(root, ago_dirs)
    assert [a["status"] for a in answers] == ["ok", "ok", "accepted", "accepted", "accepted"]
    assert not marker.exists()
    assert (root / "go.mod").read_bytes() == before
    assert not (root / "go.sum").exists()


def test_a_toolchain_line_downloads_nothing(root: Path, ago_dirs: Dirs) -> None:
    text = "module hostile\n\ngo 1.26\n\ntoolchain go1.99.9\n"
    (root / "go.mod").write_text(text)
    answers = work(root, ago_dirs)
    assert [a["status"] for a in answers] == ["ok", "ok", "accepted", "accepted", "accepted"]
    assert (root / "go.mod").read_text() == text


def test_a_missing_module_is_named_and_not_fetched(root: Path, ago_dirs: Dirs) -> None:
    text = "module hostile\n\ngo 1.26\n\nrequire example.test/absent v1.0.0\n"
    (root / "go.mod").write_text(text)
    (root / "use.go").write_text('package main\n\nimport _ "example.test/absent"\n')
    with opened(root, ago_dirs) as call:
        answer = call("status", {})
    assert answer["status"] == "failed"
    assert answer["key"] == "dependencies_missing"
    assert answer["mend"] == "run `go mod tidy`"  # without a go.sum entry a download can't do
    assert (root / "go.mod").read_text() == text


def test_cgo_flags_outside_the_allow_list_run_nothing(
    root: Path, marker: Path, ago_dirs: Dirs
) -> None:
    flags = f"-fplugin={root}/trap.sh -wrapper {root}/trap.sh"
    (root / "c.go").write_text(f'package main\n\n// #cgo CFLAGS: {flags}\nimport "C"\n')
    with opened(root, ago_dirs) as call:
        call("status", {})
        call("set_body", BODY)
    assert not marker.exists()


def test_a_link_that_leads_out_is_refused_by_name(
    root: Path, tmp_path: Path, ago_dirs: Dirs
) -> None:
    outside = tmp_path / "outside.go"
    outside.write_text("package main\n\nfunc G() int { return 1 }\n")
    (root / "linked.go").symlink_to(outside)
    with opened(root, ago_dirs) as call:
        answer = call("set_body", {"pkg": "hostile", "sym": "G", "body": "return 2"})
    assert answer["status"] == "rejected"
    assert answer["reason"] == "outside_root"
    assert "linked.go" in answer["detail"]
    assert outside.read_text().endswith("return 1 }\n")


def test_the_workspace_configuration_names_no_command(root: Path, ago_dirs: Dirs) -> None:
    (root / "ago.toml").write_text(f'go = "{root}/trap.sh"\n')
    with pytest.raises(AgoError) as caught:
        load_config(root, ago_dirs.env())
    assert caught.value.key == "config_invalid"


def test_the_workspace_configuration_raises_no_limit(root: Path, ago_dirs: Dirs) -> None:
    (root / "ago.toml").write_text("memory_mb = 1000000\nbudget_tokens = 10\n")
    config = load_config(root, ago_dirs.env())
    assert (config.memory_mb, config.budget_tokens) == (2000, 10)
