"""Background confirmation by the real go command, on edits as the history keeps them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ago.checker.gocmd import find_go
from ago.commit.history import History, HistoryEdit, HistoryFile
from ago.gate.confirm import Confirmer

pytestmark = pytest.mark.go

GOOD = b"package m\n\nfunc F() int { return 1 }\n"
BETTER = b"package m\n\nfunc F() int { return 2 }\n"
BROKEN = b'package m\n\nfunc F() int { return "2" }\n'
STANDING = b"package m\n\nvar _ = nowhere\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A module of one package."""
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "go.mod").write_text("module m\n\ngo 1.26\n")
    return folder


@pytest.fixture
def history(tmp_path: Path) -> History:
    """An empty history."""
    return History(tmp_path / "state")


@pytest.fixture
def confirmer(root: Path, history: History) -> Iterator[Confirmer]:
    """A confirmer of the module."""
    made = Confirmer(root, find_go(), history, "background")
    yield made
    made.close()


def accept(root: Path, history: History, before: bytes, after: bytes) -> int:
    """An edit as if the gate had accepted it, whatever it holds."""
    (root / "f.go").write_bytes(after)
    return history.record("t1", "edit", "{}", 0, [HistoryFile("f.go", before, after, 0o644)])


def settle(history: History, edit: int) -> HistoryEdit:
    """The edit, once it no longer waits."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = history.find(edit)
        assert found is not None
        if found.confirmation != "pending":
            return found
        time.sleep(0.05)
    raise TimeoutError("the edit stayed pending")


def test_what_compiles_is_confirmed(root: Path, history: History, confirmer: Confirmer) -> None:
    edit = accept(root, history, GOOD, BETTER)
    assert confirmer.follow(edit) == "pending"
    assert settle(history, edit).confirmation == "confirmed"
    assert confirmer.take_news() == []


def test_a_module_of_its_own_is_left_open(
    root: Path, history: History, confirmer: Confirmer
) -> None:
    (root / "f.go").write_bytes(GOOD)
    (root / "tools").mkdir()
    (root / "tools/go.mod").write_text("module tools\n\ngo 1.26\n")
    (root / "tools/t.go").write_bytes(BETTER)
    files = [HistoryFile("tools/t.go", GOOD, BETTER, 0o644)]
    edit = history.record("t1", "edit", "{}", 0, files)
    confirmer.follow(edit)
    found = settle(history, edit)
    assert found.confirmation == "unconfirmed" and "tools/t.go" in found.detail


def test_what_does_not_compile_is_contradicted_and_told_once(
    root: Path, history: History, confirmer: Confirmer
) -> None:
    edit = accept(root, history, GOOD, BROKEN)
    confirmer.follow(edit)
    assert settle(history, edit).confirmation == "contradicted"
    ((number, detail),) = confirmer.take_news()
    assert number == edit
    assert detail.startswith("f.go:3:")
    assert confirmer.take_news() == []


def test_an_error_that_stood_before_contradicts_nothing(
    root: Path, history: History, confirmer: Confirmer
) -> None:
    (root / "standing.go").write_bytes(STANDING)
    edit = accept(root, history, GOOD, BETTER)
    confirmer.follow(edit)
    assert settle(history, edit).confirmation in ("confirmed", "unconfirmed")
    assert confirmer.take_news() == []


def test_a_later_change_leaves_it_unconfirmed(
    root: Path, history: History, confirmer: Confirmer
) -> None:
    edit = accept(root, history, GOOD, BROKEN)
    (root / "f.go").write_bytes(GOOD)
    confirmer.follow(edit)
    assert settle(history, edit).confirmation == "unconfirmed"


def test_a_request_stops_a_run_and_the_edit_is_taken_up_again(
    root: Path, history: History, confirmer: Confirmer
) -> None:
    edit = accept(root, history, GOOD, BETTER)
    confirmer.follow(edit)
    with confirmer.paused():
        time.sleep(1.5)
        found = history.find(edit)
        assert found is not None
        assert found.confirmation == "pending"
    assert settle(history, edit).confirmation == "confirmed"


def test_off_is_off(root: Path, history: History) -> None:
    edit = accept(root, history, GOOD, BROKEN)
    assert Confirmer(root, find_go(), history, "off").follow(edit) == "off"
    assert settle(history, edit).confirmation == "off"
