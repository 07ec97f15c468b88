"""Generations move when the bytes of a declaration do, and never come back."""

from __future__ import annotations

from pathlib import Path

from ago.workspace.generations import Generations


def test_a_generation_moves_with_the_bytes_alone(tmp_path: Path) -> None:
    counter = Generations(tmp_path / "g.db")
    assert counter.current("p", "F", b"func F() {}") == 1
    assert counter.current("p", "F", b"func F() {}") == 1
    assert counter.current("p", "G", b"func G() {}") == 1
    assert counter.current("p", "F", b"func F() { g() }") == 2
    assert counter.current("p", "F", b"func F() {}") == 3
    counter.close()


def test_a_restart_goes_on_counting(tmp_path: Path) -> None:
    first = Generations(tmp_path / "g.db")
    first.current("p", "F", b"one")
    first.current("p", "F", b"two")
    first.close()
    second = Generations(tmp_path / "g.db")
    assert second.current("p", "F", b"two") == 2
    assert second.current("p", "F", b"one") == 3
    second.close()


def test_the_last_texts_can_be_had_again(tmp_path: Path) -> None:
    counter = Generations(tmp_path / "g.db")
    for n in range(1, 8):
        counter.current("p", "F", b"text %d" % n)
    assert counter.text_of("p", "F", 7) == b"text 7"
    assert counter.text_of("p", "F", 5) == b"text 5"
    assert counter.text_of("p", "F", 1) is None
    assert counter.text_of("p", "F", 99) is None
    counter.close()
