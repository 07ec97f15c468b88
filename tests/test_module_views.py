"""Modules below the root that its build does not use: loaded, followed, or named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from sessions import opened
from workspaces import write

pytestmark = pytest.mark.go

ROOT_FILES = {
    "go.mod": "module example.test/m\n\ngo 1.26\n",
    "lib/lib.go": "package lib\n\n// One is one.\nfunc One() int { return 1 }\n",
}
TOOLS_MOD = "module example.test/m/tools\n\ngo 1.26\n\nrequire example.test/m v0.0.0\n\n"
TOOLS = {
    "tools/go.mod": TOOLS_MOD + "replace example.test/m => ../\n",
    "tools/tool.go": (
        'package tools\n\nimport "example.test/m/lib"\n\n'
        "// Two is two.\nfunc Two() int { return lib.One() + lib.One() }\n"
    ),
}
ALONE = {
    "extra/go.mod": "module example.test/extra\n\ngo 1.26\n",
    "extra/extra.go": "package extra\n\n// X is one.\nconst X = 1\n",
}
RENAME = {"ops": [{"op": "rename", "pkg": "example.test/m/lib", "sym": "One", "to": "Uno"}]}
BREAK = {
    "pkg": "example.test/m/lib",
    "ops": [{"op": "upsert_decl", "text": "// One is one.\nfunc One() string { return `1` }"}],
}
BODY = {"pkg": "example.test/m/lib", "sym": "One", "body": "return 0 + 1"}


def places(answer: dict[str, Any]) -> list[str]:
    """The positions of a rejection."""
    return [row["pos"] for row in answer["diagnostics"]]


def test_a_view_that_only_takes_from_the_workspace_refuses(tmp_path: Path, ago_dirs: Dirs) -> None:
    """Nothing of the root's build uses the function: the view alone would break."""
    root = write(tmp_path / "w", {**ROOT_FILES, **TOOLS})
    with opened(root, ago_dirs) as call:
        assert places(call("patch", BREAK))[0].startswith("tools/tool.go:6:")
        reference = call("patch", {**BREAK, "gate": "toolchain"})
        assert places(reference)[0].startswith("tools/tool.go:6:")


def test_outside_edits_of_a_view_are_seen(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(tmp_path / "w", {**ROOT_FILES, **TOOLS})
    with opened(root, ago_dirs) as call:
        refs = {"pkg": "example.test/m/lib", "sym": "One"}
        assert call("refs", refs)["count"] == 4
        write(root, {"tools/more.go": TOOLS["tools/tool.go"].replace("Two", "Four")})
        assert call("refs", refs)["count"] == 6
        assert call("patch", RENAME)["references"] == 5
        assert call("undo", {})["status"] == "accepted"
        assert call("refs", refs)["count"] == 6


def test_a_view_survives_the_session(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(tmp_path / "w", {**ROOT_FILES, **TOOLS, **ALONE})
    with opened(root, ago_dirs) as call:
        assert call("inspect", {"pkg": "extra", "sym": "X"})["status"] == "ok"
    write(root, {"lib/more.go": "package lib\n\n// More is more.\nconst More = 2\n"})
    with opened(root, ago_dirs) as call:
        status = call("status", {})
        assert "modules_not_loaded" not in status, status
        assert status["packages"] == 3
        assert places(call("patch", BREAK))[0].startswith("tools/tool.go:6:")
        assert call("refs", {"pkg": "example.test/m/lib", "sym": "One"})["count"] == 4


def test_a_view_that_is_not_there_yet(tmp_path: Path, ago_dirs: Dirs) -> None:
    """A module that appears while the session runs, and one that goes."""
    root = write(tmp_path / "w", ROOT_FILES)
    with opened(root, ago_dirs) as call:
        assert call("status", {})["packages"] == 1
        write(root, TOOLS)
        assert call("status", {})["packages"] == 2
        write(root, dict.fromkeys(TOOLS))
        assert call("status", {})["packages"] == 1
        assert call("patch", BREAK)["status"] == "accepted"


def test_what_cannot_be_loaded_is_named(tmp_path: Path, ago_dirs: Dirs) -> None:
    """A view that wants a newer Go: edits go on, and say what they did not prove."""
    newer = TOOLS["tools/go.mod"].replace("go 1.26", "go 1.999")
    root = write(tmp_path / "w", {**ROOT_FILES, **TOOLS, "tools/go.mod": newer})
    with opened(root, ago_dirs) as call:
        (named,) = call("status", {})["modules_not_loaded"]
        assert named.startswith("tools: ") and "1.999" in named
        answer = call("set_body", BODY)
        assert answer["status"] == "accepted"
        assert any("tools" in said for said in answer["proof"]["unproven"]), answer
        missed = call("view", {"pkg": "example.test/m/tools", "sym": "Two"})
        assert missed["reason"] == "package_not_found" and "1.999" in missed["detail"]


def test_a_view_that_lacks_modules_is_followed_all_the_same(tmp_path: Path, ago_dirs: Dirs) -> None:
    """Its own go.mod says what is missing there; what can be seen of it is renamed and named."""
    lacking = TOOLS_MOD + "require example.test/absent v1.0.0\n\nreplace example.test/m => ../\n"
    source = TOOLS["tools/tool.go"].replace("import", 'import _ "example.test/absent"\n\nimport')
    root = write(tmp_path / "w", {**ROOT_FILES, "tools/go.mod": lacking, "tools/tool.go": source})
    with opened(root, ago_dirs) as call:
        (named,) = call("status", {})["dependencies_missing"]
        assert named.startswith("example.test/absent v1.0.0: ")
        answer = call("patch", RENAME)
        assert "tools/tool.go" in answer["files"]
        (said,) = answer["proof"]["unproven"]
        assert said.startswith("module in tools: example.test/m/tools: "), answer


def test_a_views_own_files_by_path(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(tmp_path / "w", {**ROOT_FILES, **ALONE})
    with opened(root, ago_dirs) as call:
        assert call("view", {"sym": "extra/extra.go:4"})["symbol"] == "example.test/extra.X"


def test_a_view_beside_a_go_work(tmp_path: Path, ago_dirs: Dirs) -> None:
    """The go.work does not use the module: the go command runs there without it."""
    files = {
        "go.work": "go 1.26\n\nuse ./lib\n",
        "lib/go.mod": "module example.test/lib\n\ngo 1.26\n",
        "lib/lib.go": ROOT_FILES["lib/lib.go"],
        "tools/go.mod": (
            "module example.test/tools\n\ngo 1.26\n\nrequire example.test/lib v0.0.0\n\n"
            "replace example.test/lib => ../lib\n"
        ),
        "tools/tool.go": TOOLS["tools/tool.go"].replace("test/m/lib", "test/lib"),
    }
    root = write(tmp_path / "w", files)
    with opened(root, ago_dirs) as call:
        assert call("status", {})["modules"] == ["example.test/lib", "example.test/tools"]
        rename = {"pkg": "example.test/lib", "sym": "One", "to": "Uno"}
        assert call("rename", {**rename, "dry_run": True, "gate": "toolchain"})["status"] == "ok"
        assert "tools/tool.go" in call("rename", rename)["files"]
        body = {"pkg": "tools", "sym": "Two", "body": "return lib.Uno() * 2"}
        assert call("set_body", body)["status"] == "accepted"
