"""Module ops beyond golden cases: the time limit, undo, and what the disk sees of a step."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import modproxy
import pytest
from dirs import Dirs
from sessions import opened
from workspaces import copy_demo, write

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
