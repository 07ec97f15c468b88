"""A disk that moves while it is read: git takes a file away before it writes it anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from dirs import Dirs
from sessions import opened
from workspaces import write

from ago.checker.calls import Calls, OnEvent
from ago.checker.results import MovedResult

pytestmark = pytest.mark.go

MODULE = {
    "go.mod": "module example.test/m\n\ngo 1.26\n",
    "disk/disk.go": "package disk\n\ntype File struct{ Name string }\n",
    "disk/disk_linux.go": "package disk\n\nfunc first(f *File) string { return f.Name[:1] }\n",
    "disk/disk_windows.go": "package disk\n\nfunc drive(f *File) string { return f.Name[:1] }\n",
    "use/use.go": 'package use\n\nimport "example.test/m/disk"\n\nvar F = disk.File{Name: "f"}\n',
}


@pytest.mark.parametrize("context", ["", "windows/amd64"])
def test_a_file_that_was_away_when_it_was_read_is_read_again(
    context: str, tmp_path: Path, ago_dirs: Dirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checker of one build sees the file gone; the file table has it before and after."""
    root = write(tmp_path / "m", MODULE)
    path, away = root / "disk/disk.go", root / "disk/.disk.go"
    refresh, left = Calls.refresh, [1]

    def hidden(
        self: Calls, paths: Sequence[str], hashes: Mapping[str, str], on_event: OnEvent
    ) -> MovedResult:
        if getattr(self, "context", "") != context or not left:
            return refresh(self, paths, hashes, on_event)
        left.pop()
        path.rename(away)
        try:
            return refresh(self, paths, hashes, on_event)
        finally:
            away.rename(path)

    monkeypatch.setattr(Calls, "refresh", hidden)
    with opened(root, ago_dirs) as call:
        call("status", {"wait": True})
        # One edit of each build's own: from now on its graph is in the checker.
        assert (
            call("rename", {"pkg": "disk", "sym": "drive", "to": "letter"})["status"] == "accepted"
        )
        path.write_text(
            MODULE["disk/disk.go"] + "\n// Size is new.\nfunc Size() int { return 1 }\n"
        )
        call("status", {"wait": True})
        answer = call("rename", {"pkg": "disk", "sym": "File.Name", "to": "Title"})
    assert not left, "the file was never away"
    assert answer["status"] == "accepted", answer
    assert answer["proof"]["contexts"] == ["linux/amd64", "windows/amd64"]
    assert "return f.Title[:1]" in (root / "disk/disk_windows.go").read_text()
