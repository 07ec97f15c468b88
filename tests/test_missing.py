"""A workspace that lacks modules: what is told of it, what is edited there, what mends it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import modproxy
import pytest
from dirs import Dirs
from sessions import Calls, opened
from workspaces import write

pytestmark = pytest.mark.go

Json = dict[str, Any]
FILES = {
    "go.mod": "module example.test/m\n\ngo 1.26\n\nrequire example.test/dep v1.0.0\n",
    "m.go": 'package m\n\nimport "example.test/m/in"\n\nvar X = in.Name()\n',
    "in/in.go": (
        'package in\n\nimport "example.test/dep"\n\nfunc Name() string { return dep.Name() }\n'
    ),
    "free/free.go": "package free\n\n// F is free.\nfunc F() int { return 1 }\n",
    "free/use/use.go": 'package use\n\nimport "example.test/m/free"\n\nvar Y = free.F()\n',
}


def sums_of(module: str) -> str:
    """The lines of go.sum for a version of a module of the test proxy."""
    text = (modproxy.ROOT / "testdata/ops/add_dependency/breaks_the_build.txtar").read_text()
    return "".join(f"{line}\n" for line in text.splitlines() if line.startswith(module))


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs) -> Iterator[Path]:
    """A workspace whose one dependency is not in the module cache, which is empty."""
    modproxy.use(monkeypatch, ago_dirs)
    cache = tmp_path / "modules"
    monkeypatch.setenv("GOMODCACHE", str(cache))
    yield write(tmp_path / "w", FILES | {"go.sum": sums_of("example.test/dep v1.0.0")})
    if cache.exists():
        modproxy.unlock(cache)


def set_body(call: Calls, pkg: str, sym: str, body: str, **more: object) -> Json:
    """One set_body."""
    ops = [{"op": "set_body", "pkg": pkg, "sym": sym, "body": body}]
    return call("patch", {"ops": ops, **more})


def test_all_that_is_there_can_be_read_and_edited(bare: Path, ago_dirs: Dirs) -> None:
    """Nothing is refused for what is missing elsewhere, and what is in doubt is named."""
    with opened(bare, ago_dirs) as call:
        status = call("status", {})
        assert status["dependencies_missing"] == [
            "example.test/dep v1.0.0: not in the module cache; imported by example.test/m/in"
        ]
        assert status["mend"] == "run `ago doctor --download`, or run `go mod download`"
        assert status["packages"] == 4 and not (bare.parent / "modules/example.test").exists()
        found = call("query", {"kind": "callers", "pkg": "example.test/m/free", "sym": "F"})
        assert found["status"] == "ok" and found["count"] == 1

        renamed = {"op": "rename", "pkg": "example.test/m/free", "sym": "F", "to": "Free"}
        done = call("patch", {"ops": [renamed]})
        assert done["status"] == "accepted" and "unproven" not in done["proof"], done
        assert set_body(call, "example.test/m/free", "Free", 'return "x"')["status"] == "rejected"

        said = "example.test/m/in: not checked in full: example.test/dep is missing"
        for gate in ("resident", "toolchain"):
            done = set_body(
                call, "example.test/m/in", "Name", "return dep.Name() + dep.Old()",
                gate=gate, dry_run=True,
            )  # fmt: skip
            assert done["status"] == "ok" and said in done["proof"]["unproven"], done
            wrong = set_body(call, "example.test/m/in", "Name", "return 1", gate=gate)
            assert wrong["reason"] == "patch_does_not_typecheck", wrong


def test_the_repair_of_a_refusal_gets_the_module(bare: Path, ago_dirs: Dirs) -> None:
    """What can't be judged without the module is refused with the patch that gets it first."""
    with opened(bare, ago_dirs) as call:
        text = "var Z = dep.Name()"
        op = {"op": "upsert_decl", "pkg": "example.test/m/free", "text": text}
        refused = call("patch", {"ops": [op | {"imports": [{"path": "example.test/dep"}]}]})
        assert refused["reason"] == "dependencies_missing" and "v1.0.0" in refused["detail"]
        repair = refused["possible_repairs"][0]["call"]
        assert not (bare.parent / "modules/example.test").exists(), "nothing is tried unasked"
        done = call(repair["tool"], repair["args"])
        assert done["status"] == "accepted" and done["files"] == ["free/free.go"], done
        assert "dependencies_missing" not in call("status", {})


def test_the_op_downloads_what_go_mod_says_already(bare: Path, ago_dirs: Dirs) -> None:
    """No file is to be changed for it, and the answer says what came of it."""
    with opened(bare, ago_dirs) as call:
        assert call("status", {})["dependencies_missing"]
        add = {"op": "add_dependency", "module": "example.test/dep", "version": "v1.0.0"}
        done = call("patch", {"ops": [add]})
        assert done["reason"] == "no_change" and "in the module cache" in done["detail"]
        assert "dependencies_missing" not in call("status", {})
        assert set_body(call, "example.test/m/in", "Name", "return dep.Nome()")["diagnostics"]


def test_a_replacement_that_is_not_there(tmp_path: Path, ago_dirs: Dirs) -> None:
    """A folder beside the workspace that was not checked out: its coming is noticed, too."""
    root = write(
        tmp_path / "w",
        FILES | {"go.mod": FILES["go.mod"] + "\nreplace example.test/dep => ../dep\n"},
    )
    with opened(root, ago_dirs) as call:
        (said,) = call("status", {})["dependencies_missing"]
        assert "the folder ../dep that replaces it is not there" in said
        assert set_body(call, "example.test/m/free", "F", "return 2")["status"] == "accepted"
        source = 'package dep\n\nfunc Name() string { return "" }\n'
        write(tmp_path / "dep", {"go.mod": "module example.test/dep\n", "dep.go": source})
        assert "dependencies_missing" not in call("status", {})
        shutil.rmtree(tmp_path / "dep")


def test_one_module_of_a_work_lacks_something(bare: Path, tmp_path: Path, ago_dirs: Dirs) -> None:
    """The other modules of a go.work are as sound as ever."""
    root = write(
        tmp_path / "work",
        {
            "go.work": "go 1.26\n\nuse ./one\nuse ./two\n",
            "one/go.mod": FILES["go.mod"].replace("/m\n", "/one\n"),
            "one/one.go": 'package one\n\nimport "example.test/dep"\n\nvar X = dep.Name()\n',
            "two/go.mod": "module example.test/two\n\ngo 1.26\n",
            "two/two.go": "package two\n\nfunc F() int { return 1 }\n",
        },
    )
    shutil.copy(bare / "go.sum", root / "one/go.sum")
    with opened(root, ago_dirs) as call:
        (said,) = call("status", {})["dependencies_missing"]
        assert said.startswith("example.test/dep v1.0.0: not in the module cache")
        done = set_body(call, "example.test/two", "F", "return 2")
        assert done["status"] == "accepted" and "unproven" not in done["proof"]
