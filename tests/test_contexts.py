"""Further build contexts: files of other systems and tags are checked, found and rewritten too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dirs import Dirs
from tests.sessions import Calls, opened
from tests.workspaces import write

pytestmark = pytest.mark.go

MODULE = {
    "go.mod": "module example.test/m\n\ngo 1.26\n",
    "disk/disk.go": (
        "package disk\n\n// File is open.\ntype File struct{ Name string }\n\n"
        "func Use(f *File) error { return f.lock(Mode) }\n"
    ),
    "disk/disk_linux.go": (
        "package disk\n\nconst Mode = 300\n\nfunc (f *File) lock(mode int) error { return nil }\n"
    ),
    "disk/disk_windows.go": (
        "package disk\n\nconst Mode = 3\n\nfunc (f *File) lock(mode int) error { return nil }\n\n"
        "func drive(f *File) string { return f.Name[:1] }\n"
    ),
    "disk/disk_e2e_test.go": (
        '//go:build e2e\n\npackage disk\n\nimport "testing"\n\n'
        'func TestUse(t *testing.T) { _ = Use(&File{Name: "x"}) }\n'
    ),
    "disk/by_hand.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
    "far/far.go": "package far\n\nfunc Far() int { return 1 }\n",
}
DISK = "example.test/m/disk"
HOST, TAGGED, WINDOWS = "linux/amd64", "linux/amd64,e2e", "windows/amd64"


def ready(call: Calls) -> None:
    """Wait until every context is there."""
    status = call("status", {"wait": True})
    assert status["further_contexts"] == [TAGGED, WINDOWS], status
    assert status["files_outside"] == ["disk/by_hand.go"], status
    assert "contexts_pending" not in status


def test_references_of_all_contexts_are_found(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        refs = call("refs", {"pkg": DISK, "sym": "File"})
        files = [ref["pos"].partition(":")[0] for ref in refs["refs"]]
        assert files == [
            "disk/disk.go", "disk/disk.go", "disk/disk.go", "disk/disk_e2e_test.go",
            "disk/disk_linux.go", "disk/disk_windows.go", "disk/disk_windows.go",
        ]  # fmt: skip
        (hit,) = call("search", {"q": "drive"})["symbols"]
        assert hit["pos"] == "disk/disk_windows.go:7:6"
        assert call("view", {"pkg": DISK, "sym": "drive"})["status"] == "ok"
    with opened(root, ago_dirs) as call:
        # A new session has the facts without asking agocheck.
        assert len(call("refs", {"pkg": DISK, "sym": "File"})["refs"]) == 7


def test_a_rename_waits_for_the_contexts_and_follows_them_by_types(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        for sym, to in (("File.Name", "Title"), ("File", "Handle"), ("Handle.lock", "hold")):
            answer = call("rename", {"pkg": DISK, "sym": sym, "to": to})
            assert answer["status"] == "accepted", answer
            assert answer["proof"]["contexts"] == [HOST, TAGGED, WINDOWS]
            assert "unproven" not in answer["proof"]
    assert "func drive(f *Handle) string { return f.Title[:1] }" in read(root, "disk_windows.go")
    assert "func (f *Handle) hold(mode int)" in read(root, "disk_windows.go")
    assert '_ = Use(&Handle{Title: "x"})' in read(root, "disk_e2e_test.go")


def test_what_breaks_one_context_alone_is_refused_and_says_where(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        lost = call("set_body", {"pkg": DISK, "sym": "drive", "body": "return f.Nam"})
        assert lost["status"] == "rejected"
        (found,) = lost["diagnostics"]
        assert (found["pos"], found["context"]) == ("disk/disk_windows.go:8:11", WINDOWS)
        # 300 fits where Mode is 3 and not where it is 300: the same text, another constant.
        body = "var small uint8 = Mode - 100\n\treturn f.lock(int(small))"
        lost = call("set_body", {"pkg": DISK, "sym": "Use", "body": body})
        assert [d["context"] for d in lost["diagnostics"]] == [WINDOWS], lost
        both = call("set_body", {"pkg": DISK, "sym": "Use", "body": "return f.look(Mode)"})
        assert ["context" in d for d in both["diagnostics"]] == [False]


def test_a_foreign_function_is_edited_and_viewed_like_any_other(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        body = {"pkg": DISK, "sym": "drive", "body": "return drive(f)[:2]"}
        answer = call("set_body", body)
        assert answer["status"] == "accepted" and answer["proof"]["contexts"][-1] == WINDOWS
        ready(call)
        refs = call("refs", {"pkg": DISK, "sym": "drive"})
        assert [ref["role"] for ref in refs["refs"]] == ["def", "call"], refs


def test_an_edit_elsewhere_pays_nothing(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        answer = call("set_body", {"pkg": "far", "sym": "Far", "body": "return 2"})
        assert answer["proof"]["contexts"] == [HOST], answer


def test_a_file_that_no_context_compiles_is_unproven(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        sym = "by_hand.go:5"
        answer = call("set_body", {"pkg": DISK, "sym": sym, "body": "println(1)"})
        assert answer["proof"]["unproven"] == [
            "disk/by_hand.go: no checked build context compiles it"
        ], answer


def test_outside_edits_reach_the_contexts(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        windows = root / "disk/disk_windows.go"
        windows.write_text(windows.read_text() + "\nfunc more() string { return drive(nil) }\n")
        (root / "far/far_darwin.go").write_text("package far\n\nvar F = Far()\n")
        assert len(call("status", {"wait": True})["further_contexts"]) == 3
        assert call("refs", {"pkg": DISK, "sym": "drive"})["count"] == 2
        assert call("refs", {"pkg": "far", "sym": "Far"})["count"] == 2
        (root / "far/far_darwin.go").unlink()
        ready(call)
        assert call("refs", {"pkg": "far", "sym": "Far"})["count"] == 1


def test_a_context_that_is_behind_makes_no_address_ambiguous(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        text = (root / "disk/disk.go").read_text()
        (root / "disk/disk.go").write_text(text.replace("\n\n", "\n\nvar More = 1\n\n", 1))
        answer = call("upsert_decl", {"pkg": DISK, "text": "var Less = 2", "after": "Use"})
        assert answer["status"] == "accepted", answer


def test_contexts_of_the_configuration_are_taken(tmp_path: Path, ago_dirs: Dirs):
    config = {"ago.toml": 'contexts = ["linux/amd64,ignore"]\n'}
    root = write(tmp_path / "m", {**MODULE, **config, "disk/by_hand.go": MANUAL})
    with opened(root, ago_dirs) as call:
        status = call("status", {"wait": True})
        assert status["further_contexts"][0] == "linux/amd64,ignore"
        assert "files_outside" not in status
        answer = call("rename", {"pkg": DISK, "sym": "Use", "to": "Lock"})
        assert "linux/amd64,ignore" in answer["proof"]["contexts"]
    assert "_ = Lock(f)" in read(root, "by_hand.go")


MANUAL = "//go:build ignore\n\npackage disk\n\nfunc hand(f *File) { _ = Use(f) }\n"


def read(root: Path, name: str) -> str:
    return (root / "disk" / name).read_text()


def test_twins_are_renamed_together_and_edited_one_by_one(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        lock = {"pkg": DISK, "sym": "File.lock", "body": "panic(mode)"}
        refused = call("set_body", lock)
        assert refused["reason"] == "ambiguous_address", refused
        assert refused["did_you_mean"] == ["disk/disk_linux.go:5", "disk/disk_windows.go:5"]
        repair = refused["possible_repairs"][1]["call"]
        assert call(repair["tool"], repair["args"])["status"] == "accepted"
        assert "panic" in read(root, "disk_windows.go") and "panic" not in read(
            root, "disk_linux.go"
        )
        ready(call)
        ops = [
            {"op": "set_body", "sym": "disk_linux.go:5", "body": "println(mode)\nreturn nil"},
            {"op": "set_doc", "sym": "disk_windows.go:5", "text": "lock panics."},
            {"op": "rename", "sym": "File.lock", "to": "hold"},
        ]
        answer = call("patch", {"pkg": DISK, "ops": ops})
        assert answer["status"] == "accepted", answer
    linux, windows = read(root, "disk_linux.go"), read(root, "disk_windows.go")
    assert "func (f *File) hold(mode int) error {\n\tprintln(mode)" in linux
    assert "// hold panics.\nfunc (f *File) hold(mode int)" in windows
    assert "return f.hold(Mode)" in read(root, "disk.go")


def test_the_go_command_judges_in_the_contexts_too(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as call:
        ready(call)
        body = {"pkg": DISK, "sym": "drive", "gate": "toolchain"}
        lost = call("set_body", {**body, "body": "return f.Nam"})
        (found,) = lost["diagnostics"]
        assert (found["pos"], found["context"]) == ("disk/disk_windows.go:8:11", WINDOWS), lost
        answer = call("set_body", {**body, "body": "return f.Name[:2]"})
        assert answer["proof"]["checker"] == "toolchain", answer
        assert answer["proof"]["contexts"] == [HOST, TAGGED, WINDOWS]


LAYERS = {
    "go.mod": "module example.test/m\n\ngo 1.26\n",
    "base/base.go": (
        "package base\n\ntype T struct{ N int }\n\nfunc Make() T { return T{} }\n\n"
        "func Other() int { return 2 }\n\nfunc Third() int { return 3 }\n"
    ),
    "sys/sys.go": (
        'package sys\n\nimport "example.test/m/base"\n\nfunc Get() base.T { return base.Make() }\n'
    ),
    "sys/sys_linux.go": "package sys\n\nconst Mode = 3\n",
    "sys/sys_windows.go": (
        'package sys\n\nimport "example.test/m/base"\n\nconst Mode = 300\n\n'
        "func more() int { return Get().N + base.Other() }\n"
    ),
    "win/win_windows.go": (
        'package win\n\nimport "example.test/m/base"\n\nvar Sum int = base.Other()\n'
    ),
    "far/far.go": (
        'package far\n\nimport "example.test/m/base"\n\nfunc Far() int { return base.Third() }\n'
    ),
}


def test_contexts_are_asked_only_of_what_an_edit_can_mean_there(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", LAYERS)
    with opened(root, ago_dirs) as call:
        assert call("status", {"wait": True})["further_contexts"] == [WINDOWS]

        def contexts(tool: str, request: dict[str, object]) -> list[str]:
            answer = call(tool, {"pkg": "base", **request})
            assert answer["status"] == "accepted", answer
            return answer["proof"]["contexts"]

        # sys imports base and looks different on Windows: its answer would be the same.
        assert contexts("set_body", {"sym": "Make", "body": "return T{N: 1}"}) == [HOST]
        # No file of sys mentions Third; one that only Windows compiles mentions Other.
        assert contexts("rename", {"sym": "Third", "to": "Fourth"}) == [HOST]
        assert contexts("rename", {"sym": "Other", "to": "Else"}) == [HOST, WINDOWS]
        assert contexts("rename", {"sym": "Make", "to": "Build"}) == [HOST, WINDOWS]


def test_what_only_another_context_mentions_is_judged_there(tmp_path: Path, ago_dirs: Dirs):
    root = write(tmp_path / "m", LAYERS)
    with opened(root, ago_dirs) as call:
        assert call("status", {"wait": True})["further_contexts"] == [WINDOWS]

        def places(tool: str, request: dict[str, object]) -> list[tuple[str, str]]:
            answer = call(tool, request)
            assert answer["status"] == "rejected", answer
            return [(d["pos"].partition(":")[0], d["context"]) for d in answer["diagnostics"]]

        text = 'func Other() string { return "" }'
        assert places("upsert_decl", {"pkg": "base", "text": text}) == [
            ("sys/sys_windows.go", WINDOWS), ("win/win_windows.go", WINDOWS),
        ]  # fmt: skip
        # The name of the field is in a file that Windows compiles, its type comes through sys.go.
        text = "type T struct{ N string }"
        assert places("upsert_decl", {"pkg": "base", "text": text}) == [
            ("sys/sys_windows.go", WINDOWS)
        ]
        # A package that is alike everywhere begins to look at one that is not.
        body = "var small uint8 = sys.Mode\n\treturn int(small)"
        assert places("set_body", {"pkg": "far", "sym": "Far", "body": body}) == [
            ("far/far.go", WINDOWS)
        ]
        # An outside edit is followed by the API that moved.
        (root / "base/base.go").write_text(LAYERS["base/base.go"].replace("return 3", "return 4"))
        assert "contexts_pending" not in call("status", {})
        (root / "base/base.go").write_text(LAYERS["base/base.go"].replace("Other", "Elsewhere"))
        call("status", {"wait": True})
        answer = call("query", {"kind": "diagnostics"})
        assert len(answer["diagnostics"]) == 2, answer


def test_what_an_address_means_does_not_change_when_contexts_come(tmp_path: Path, ago_dirs: Dirs):
    """Names of files whose context is still to be checked count from the beginning."""
    more = {
        "disk/lone.go": "package disk\n\nfunc Lone() {}\n",
        "far/far_windows.go": "package far\n\nfunc Lone() {}\n",
    }
    root = write(tmp_path / "m", {**MODULE, **more})
    asked = [{"sym": "Lone"}, {"pkg": DISK, "sym": "Mode"}, {"pkg": DISK, "sym": "main"}]

    def meanings(call: Calls) -> list[object]:
        answers = [call("view", args) for args in asked]
        kept = ("reason", "did_you_mean", "symbol", "declared_also")
        return [{key: answer.get(key) for key in kept} for answer in answers]

    with opened(root, ago_dirs) as call:
        before = meanings(call)
        call("status", {"wait": True})
        assert before == meanings(call)
        assert before[0]["reason"] == "ambiguous_address"  # type: ignore[index]
