"""GOFLAGS that a workspace is built with: tags and the vendor folder decide what the build is."""

from __future__ import annotations

from pathlib import Path

import pytest
from dirs import Dirs
from sessions import opened
from workspaces import write

pytestmark = pytest.mark.go

TAGGED = {
    "go.mod": "module example.test/m\n\ngo 1.26\n",
    "m.go": "package m\n\n// Name is a name.\nfunc Name() string { return mode }\n",
    "on.go": "//go:build extra\n\npackage m\n\nconst mode = `on`\n",
    "off.go": "//go:build !extra\n\npackage m\n\nconst mode = `off`\n",
    "m_test.go": (
        '//go:build extra\n\npackage m\n\nimport "testing"\n\n'
        "func TestName(t *testing.T) { _ = Name() }\n"
    ),
}
VENDORED = {
    "go.mod": "module example.test/host\n\ngo 1.26\n\nrequire example.test/dialer v1.2.0\n",
    "vendor/modules.txt": (
        "# example.test/dialer v1.2.0\n## explicit; go 1.26\nexample.test/dialer\n"
    ),
    "vendor/example.test/dialer/dialer.go": (
        "package dialer\n\n// Dial dials.\nfunc Dial() int { return 7 }\n"
    ),
    "host.go": "package host\n\n// Call is empty.\nfunc Call() int { return 0 }\n",
}


def test_tags_of_goflags_are_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs
) -> None:
    """With the tag the other file and the test are compiled: both follow, and both can refuse."""
    monkeypatch.setenv("GOFLAGS", "-tags=extra -mod=mod")
    root = write(tmp_path / "w", TAGGED)
    with opened(root, ago_dirs) as call:
        assert call("status", {})["context"].endswith("extra")
        view = call("view", {"pkg": "m", "sym": "mode"})
        assert "`on`" in view["text"]
        answer = call("rename", {"pkg": "m", "sym": "Name", "to": "Title"})
        assert "m_test.go" in answer["files"]
        broken = {"pkg": "m", "sym": "Title", "text": "func Title(n int) string { return mode }"}
        refused = call(
            "patch", {"ops": [{"op": "upsert_decl", "pkg": "m", "text": broken["text"]}]}
        )
        assert refused["diagnostics"][0]["pos"].startswith("m_test.go:7:")


def test_vendor_of_goflags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs) -> None:
    """-mod=vendor as a flag is what the folder means anyway: imports are repaired from it."""
    monkeypatch.setenv("GOFLAGS", "-mod=vendor")
    root = write(tmp_path / "w", VENDORED)
    before = (root / "vendor/example.test/dialer/dialer.go").read_bytes()
    with opened(root, ago_dirs) as call:
        answer = call("set_body", {"pkg": "host", "sym": "Call", "body": "return dialer.Dial()"})
        assert answer["imports"] == {"added": ["host.go: example.test/dialer"]}, answer
        refused = call("rename", {"pkg": "example.test/dialer", "sym": "Dial", "to": "Call"})
        assert refused["status"] == "rejected"
        dropped = call("patch", {"ops": [{"op": "mod_tidy"}]})
        assert dropped["reason"] == "vendored_module"
    assert (root / "vendor/example.test/dialer/dialer.go").read_bytes() == before
