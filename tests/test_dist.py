"""What is distributed: the wheel holds all that a first start needs, and nothing of the tests.

`make dist-check` installs it with pip, pipx and uv into empty homes and makes an edit there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHECKER = "ago/checker_go"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (packed,) = folder.glob("ago_go-*-py3-none-any.whl")
    zipfile.ZipFile(packed).extractall(folder / "site")
    return folder / "site"


@pytest.mark.go
def test_the_wheel_holds_what_runs_and_no_more(wheel: Path) -> None:
    held = {p.relative_to(wheel).as_posix() for p in wheel.rglob("*") if p.is_file()}
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in ("ago", "grammar_ops")
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".sql") or path.name in ("py.typed", "go.mod", "go.sum")
        if "vendor" not in path.parts
    }
    wanted |= {
        f"{CHECKER}/{path.name}"
        for path in (ROOT / CHECKER).glob("*.go")
        if not path.name.endswith("_test.go")
    }
    assert wanted - held == set()
    extra = [name for name in held if re.search(r"_test\.go$|testdata|^tests/|\.pyc$", name)]
    assert not [name for name in extra if not name.startswith(f"{CHECKER}/vendor/")]
    (info,) = wheel.glob("*.dist-info")
    assert "ago = ago.daemon.client:main" in (info / "entry_points.txt").read_text()
    assert {"LICENSE", "NOTICE"} <= {p.name for p in (info / "licenses").iterdir()}


@pytest.mark.go
def test_agocheck_of_the_wheel_needs_no_network(wheel: Path, tmp_path: Path) -> None:
    """Every package that it is built from lies in the wheel or in Go itself."""
    env = os.environ | {
        "GOFLAGS": "-mod=vendor", "GOPROXY": "off", "GOWORK": "off", "GOTOOLCHAIN": "local",
        "GOMODCACHE": str(tmp_path / "none"), "CGO_ENABLED": "0",
    }  # fmt: skip
    done = subprocess.run(
        ["go", "list", "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", "."],
        cwd=wheel / CHECKER, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folders = [Path(line) for line in done.stdout.split()]
    assert len(folders) > 1
    assert all(folder.is_relative_to(wheel) for folder in folders)
    assert not (tmp_path / "none").exists()
