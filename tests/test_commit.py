"""Commit, recovery and history on the real file system."""

from __future__ import annotations

import os
import random
import signal
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import ago.commit.exchange as exchange_module
from ago.commit.commit import Note, commit
from ago.commit.history import History
from ago.commit.recover import recover
from ago.stages import Approved, Candidate, Draft, DraftFile, MovedText, Proof, Receipt, Verdict
from grammar_ops.reject import Reject

Tree = dict[str, bytes]


def approved(changes: dict[str, tuple[bytes | None, bytes | None]]) -> Approved:
    """An approval of {path: (base, text)} as the gate would hand it over."""
    files = {p: DraftFile(p, base, text, ()) for p, (base, text) in changes.items()}
    draft = Draft(files, (), (), (), False, {}, {})
    proof = Proof("resident", (), 1, 0)
    return Approved(Verdict(Candidate(draft, files), "", (), (), (), 0, (), (), proof))


def read_tree(root: Path) -> Tree:
    """Every file below root, litter included."""
    return {
        str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()
    }


def write_tree(root: Path, tree: Tree) -> None:
    """Make root hold exactly these files."""
    for path, data in tree.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree."""
    folder = tmp_path / "w"
    write_tree(folder, {"a.go": b"package a\n", "sub/b.go": b"package b\n", "gone.go": b"x"})
    return folder


@pytest.fixture
def history(tmp_path: Path) -> History:
    """An empty history."""
    return History(tmp_path / "state")


def edit_all(
    root: Path, history: History, on_step: Callable[[str], None] = lambda _: None
) -> Receipt:
    """One edit that writes two files, creates one in a new folder and deletes one."""
    changes: dict[str, tuple[bytes | None, bytes | None]] = {
        "a.go": (b"package a\n", b"package a // new\n"),
        "sub/b.go": (b"package b\n", b"package b // new\n"),
        "new/dir/c.go": (None, b"package c\n"),
        "gone.go": (b"x", None),
    }
    return commit(approved(changes), root=root, history=history, note=Note("edit"), on_step=on_step)


NEW = {
    "a.go": b"package a // new\n",
    "sub/b.go": b"package b // new\n",
    "new/dir/c.go": b"package c\n",
}


def test_writes_creates_and_deletes(root: Path, history: History) -> None:
    (root / "a.go").chmod(0o750)
    receipt = edit_all(root, history)
    assert read_tree(root) == NEW
    assert stat.S_IMODE((root / "a.go").stat().st_mode) == 0o750
    assert receipt.edit == 1
    assert receipt.created == ("new/dir/c.go",)
    assert receipt.deleted == ("gone.go",)
    kept = history.find(1)
    assert kept is not None
    assert {f.path: (f.before, f.after) for f in kept.files}["gone.go"] == (b"x", None)


def test_fallback_without_a_swap_call(
    root: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_module, "_RENAME", None)
    edit_all(root, history)
    assert read_tree(root) == NEW


def test_changed_before_the_commit_is_refused(root: Path, history: History) -> None:
    (root / "sub/b.go").write_bytes(b"somebody else")
    before = read_tree(root)
    with pytest.raises(Reject) as caught:
        edit_all(root, history)
    assert caught.value.reason == "changed_on_disk"
    assert read_tree(root) == before
    assert history.page(0, 10)[0] == 0


def test_written_during_the_commit_is_not_lost(root: Path, history: History) -> None:
    def meddle(step: str) -> None:
        if step == "swap sub/b.go":
            (root / "sub/b.go").write_bytes(b"somebody else")

    with pytest.raises(Reject) as caught:
        edit_all(root, history, meddle)
    assert caught.value.reason == "changed_on_disk"
    assert read_tree(root) == {
        "a.go": b"package a\n",
        "sub/b.go": b"somebody else",
        "gone.go": b"x",
    }
    assert not (root / "new").exists()


def test_created_meanwhile_is_not_overwritten(root: Path, history: History) -> None:
    def meddle(step: str) -> None:
        if step == "swap new/dir/c.go":
            (root / "new/dir/c.go").write_bytes(b"theirs")

    with pytest.raises(Reject) as caught:
        edit_all(root, history, meddle)
    assert caught.value.reason == "changed_on_disk"
    assert (root / "new/dir/c.go").read_bytes() == b"theirs"
    assert (root / "a.go").read_bytes() == b"package a\n"


def test_symlink_target_is_written_and_the_link_stays(root: Path, history: History) -> None:
    (root / "link.go").symlink_to("a.go")
    one = approved({"link.go": (b"package a\n", b"package z\n")})
    commit(one, root=root, history=history, note=Note("edit"))
    assert (root / "link.go").is_symlink()
    assert (root / "a.go").read_bytes() == b"package z\n"


def test_symlink_that_leads_out_is_refused(root: Path, history: History, tmp_path: Path) -> None:
    (tmp_path / "out.go").write_bytes(b"o")
    (root / "link.go").symlink_to(tmp_path / "out.go")
    with pytest.raises(Reject) as caught:
        commit(approved({"link.go": (b"o", b"p")}), root=root, history=history, note=Note("edit"))
    assert caught.value.reason == "outside_root"
    assert (tmp_path / "out.go").read_bytes() == b"o"


def test_a_folder_in_the_place_of_a_file_is_refused(root: Path, history: History) -> None:
    (root / "dir.go").mkdir()
    with pytest.raises(Reject) as caught:
        commit(approved({"dir.go": (None, b"p")}), root=root, history=history, note=Note("edit"))
    assert caught.value.reason == "not_writable"


def test_deleting_a_symlink_is_refused(root: Path, history: History) -> None:
    (root / "link.go").symlink_to("a.go")
    one = approved({"link.go": (b"package a\n", None)})
    with pytest.raises(Reject) as caught:
        commit(one, root=root, history=history, note=Note("edit"))
    assert caught.value.reason == "not_writable"
    assert (root / "a.go").read_bytes() == b"package a\n"


def test_mode_of_a_moved_file_is_kept_there_and_back(root: Path, history: History) -> None:
    (root / "a.go").chmod(0o755)
    there = approved({"a.go": (b"package a\n", None), "b.go": (None, b"package a\n")})
    candidate = replace(there.verdict.candidate, moved=(MovedText("a.go", "b.go", ()),))
    there = Approved(replace(there.verdict, candidate=candidate))
    n = commit(there, root=root, history=history, note=Note("edit")).edit
    assert stat.S_IMODE((root / "b.go").stat().st_mode) == 0o755
    back = approved({"b.go": (b"package a\n", None), "a.go": (None, b"package a\n")})
    commit(back, root=root, history=history, note=Note("undo", undo_of=n))
    assert stat.S_IMODE((root / "a.go").stat().st_mode) == 0o755


def test_read_only_file_is_refused(root: Path, history: History) -> None:
    (root / "a.go").chmod(0o444)
    with pytest.raises(Reject) as caught:
        edit_all(root, history)
    assert caught.value.reason == "not_writable"


def test_history_numbers_are_never_reused_and_it_is_bounded(tmp_path: Path) -> None:
    history = History(tmp_path / "s", limit_mb=0)
    root = tmp_path / "w"
    write_tree(root, {"a.go": b"0"})
    for i in range(3):
        one = approved({"a.go": (b"%d" % i, b"%d" % (i + 1))})
        assert commit(one, root=root, history=history, note=Note("e")).edit == i + 1
    count, kept = history.page(0, 10)
    assert (count, [e.n for e in kept]) == (1, [3])


def crash_at(root: Path, history: History, step: int) -> bool:
    """Commit in a child that is killed at its step-th step; whether it lived through."""
    pid = os.fork()
    if pid == 0:
        seen = 0

        def on_step(_name: str) -> None:
            nonlocal seen
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1

        edit_all(root, history, on_step)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0


def test_crash_at_every_step_leaves_the_old_or_the_new_tree(tmp_path: Path) -> None:
    step, survived = 0, False
    while not survived:
        root = tmp_path / f"w{step}"
        old = {"a.go": b"package a\n", "sub/b.go": b"package b\n", "gone.go": b"x"}
        write_tree(root, old)
        history = History(tmp_path / f"s{step}")
        survived = crash_at(root, history, step)
        recover(root, history)
        tree = read_tree(root)
        assert tree in (old, NEW)
        assert (history.page(0, 9)[0] == 1) == (tree == NEW)
        assert not survived or tree == NEW
        assert not list(history.state.glob("journal/*"))
        step += 1
    assert step >= 10


def test_foreign_write_after_a_crash_is_left_alone(tmp_path: Path) -> None:
    rng = random.Random(7)
    for seed in range(12):
        root = tmp_path / f"w{seed}"
        old = {"a.go": b"package a\n", "sub/b.go": b"package b\n", "gone.go": b"x"}
        write_tree(root, old)
        history = History(tmp_path / f"s{seed}")
        assert not crash_at(root, history, rng.randrange(3, 9))
        (root / "sub/b.go").write_bytes(b"theirs")
        recover(root, history)
        tree = read_tree(root)
        assert tree.pop("sub/b.go") == b"theirs"
        assert {k: v for k, v in tree.items() if k in old} == {"a.go": old["a.go"], "gone.go": b"x"}
        assert "new/dir/c.go" not in tree
