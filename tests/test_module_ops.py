"""Module ops beyond golden cases: the time limit, undo, and what the disk sees of a step."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

import modproxy
import pytest
from dirs import Dirs
from sessions import opened
from workspaces import copy_demo, write

from ago.scaffold.doctor import examine

pytestmark = pytest.mark.go

ADD = {"ops": [{"op": "add_dependency", "module": "example.test/dep"}]}


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs) -> Path:
    """A copy of the demo, with the module proxy of the tests."""
    modproxy.use(monkeypatch, ago_dirs)
    return copy_demo(tmp_path)


def test_a_proxy_that_never_answers(
    demo: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs
) -> None:
    """The limit ends the command, and says where it is set."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("GOPROXY", f"http://127.0.0.1:{silent.getsockname()[1]}")
        write(demo, {"ago.toml": "module_seconds = 1.0\n"})
        with opened(demo, ago_dirs) as call:
            call("status", {})
            began = time.monotonic()
            answer: dict[str, Any] = call("patch", ADD)
    assert answer["reason"] == "go_get_failed" and "module_seconds" in answer["detail"]
    assert time.monotonic() - began < 10


def test_taken_back(demo: Path, ago_dirs: Dirs) -> None:
    """Undo restores go.mod and removes go.sum again, and the index follows both ways."""
    before = (demo / "go.mod").read_bytes()
    with opened(demo, ago_dirs) as call:
        assert call("patch", ADD)["status"] == "accepted"
        body = {"pkg": "demo/lib", "sym": "Double", "body": "return v + len(dep.Name())"}
        assert call("set_body", {**body, "dry_run": True})["status"] == "ok"
        undone = call("undo", {})
        assert undone["status"] == "accepted", undone
        assert (demo / "go.mod").read_bytes() == before and not (demo / "go.sum").exists()
        assert call("set_body", body)["status"] == "rejected"


def test_a_broken_go_mod_is_named_as_such(demo: Path, ago_dirs: Dirs) -> None:
    """What the go command says of the shadow is said of the file."""
    with opened(demo, ago_dirs) as call:
        call("status", {})
        broken = (demo / "go.mod").read_text() + "require nonsense\n"
        answer = call("patch", {**ADD, "overlay": {"go.mod": broken}})
    assert answer["reason"] == "go_get_failed", answer
    assert "ago-modfile" not in answer["detail"] and "go.mod:" in answer["detail"]


def test_missing_dependencies_are_mended_by_the_op_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs
) -> None:
    """go.sum lacks what the code imports: status names the op, and it works."""
    modproxy.use(monkeypatch, ago_dirs)
    root = write(
        tmp_path / "w",
        {
            "go.mod": "module example.test/m\n\ngo 1.26\n\nrequire example.test/dep v1.0.0\n",
            "m.go": 'package m\n\nimport "example.test/dep"\n\nvar X = dep.Name()\n',
        },
    )
    with opened(root, ago_dirs) as call:
        missing = call("status", {})
        assert missing["dependencies_missing"] and "mod_tidy" in missing["mend"]
        tidied = call("patch", {"ops": [{"op": "mod_tidy"}]})
        assert tidied.get("files") == ["go.sum"], tidied
        assert "dependencies_missing" not in call("status", {})
        assert call("inspect", {"sym": "m.X"})["status"] == "ok"


def test_a_module_without_its_requirement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs
) -> None:
    """An import that no module provides is a standing error; adding the module mends it."""
    modproxy.use(monkeypatch, ago_dirs)
    root = write(
        tmp_path / "w",
        {
            "go.mod": "module example.test/m\n\ngo 1.26\n",
            "m.go": 'package m\n\nimport "example.test/dep"\n\nvar X = dep.Name()\n',
        },
    )
    with opened(root, ago_dirs) as call:
        assert call("status", {})["error_count"]
        assert call("patch", ADD)["status"] == "accepted"
        assert "// indirect" not in (root / "go.mod").read_text()
        assert "error_count" not in call("status", {})


def test_what_is_required_is_downloaded_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs
) -> None:
    """The module cache is empty: loading says so and downloads nothing, doctor does when asked."""
    modproxy.use(monkeypatch, ago_dirs)
    cache = tmp_path / "modules"
    monkeypatch.setenv("GOMODCACHE", str(cache))
    sums = (modproxy.ROOT / "testdata/ops/add_dependency/breaks_the_build.txtar").read_text()
    lines = [line for line in sums.splitlines() if line.startswith("example.test/dep v1.0.0")]
    root = write(
        tmp_path / "w",
        {
            "go.mod": "module example.test/m\n\ngo 1.26\n\nrequire example.test/dep v1.0.0\n",
            "go.sum": "".join(f"{line}\n" for line in lines),
            "m.go": 'package m\n\nimport "example.test/dep"\n\nvar X = dep.Name()\n',
        },
    )
    with opened(root, ago_dirs) as call:
        assert "doctor --download" in call("status", {})["mend"]
        assert not (cache / "example.test").exists()
        found = examine(root, os.environ, download=True)["findings"]
        assert isinstance(found, list) and {"modules", "workspace"} <= {
            row["what"] for row in found
        }
        assert "dependencies_missing" not in call("status", {})
    modproxy.unlock(cache)
