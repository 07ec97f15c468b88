"""Line differences: what git makes of them is the text they were made from."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from grammar_ops.edit import Span
from grammar_ops.ledger import Ledger
from grammar_ops.linediff import diff_pieces, diff_stat, text_edits, unified_diff


def edited(rng: random.Random) -> tuple[bytes, Ledger]:
    lines = [rng.choice([b"a", b"bb", b"", b"\tccc"]) for _ in range(rng.randrange(1, 30))]
    ledger = Ledger(b"\n".join(lines) + rng.choice([b"", b"\n"]))
    for _ in range(rng.randrange(0, 6)):
        start = rng.randrange(len(ledger.text) + 1)
        end = min(len(ledger.text), start + rng.randrange(6))
        ledger.splice(Span(start, end), rng.choice([b"", b"x", b"y\n", b"\nz", b"\n\n"]), 1)
    return ledger.base, ledger


@pytest.mark.parametrize("seed", range(60))
def test_applying_a_diff_gives_the_new_text(seed: int, tmp_path: Path):
    old, ledger = edited(random.Random(seed))
    for pieces in (None, ledger.pieces()):
        diff = unified_diff("f.txt", old, ledger.text, pieces)
        (tmp_path / "f.txt").write_bytes(old)
        if old != ledger.text:
            command = ["git", "apply", "-p1"]
            subprocess.run(command, cwd=tmp_path, input=diff.encode(), check=True)
        assert (tmp_path / "f.txt").read_bytes() == ledger.text


@pytest.mark.parametrize("seed", range(60))
def test_text_edits_lead_to_the_new_text(seed: int):
    old, ledger = edited(random.Random(seed))
    for pieces in (None, ledger.pieces()):
        text = old
        for start, end, put in reversed(text_edits(old, ledger.text, pieces)):
            text = text[:start] + put + text[end:]
        assert text == ledger.text


def test_a_line_added_after_another_leaves_that_one_alone():
    ledger = Ledger(b"a\nb\nc\n")
    ledger.splice(Span(3, 3), b"\nnew", 1)
    assert diff_stat(ledger.base, ledger.text, ledger.pieces()) == (1, 0)
    assert unified_diff("f", ledger.base, ledger.text, ledger.pieces()).splitlines() == [
        "--- a/f", "+++ b/f", "@@ -1,3 +1,4 @@", " a", " b", "+new", " c",
    ]  # fmt: skip


def test_an_unchanged_line_between_two_changed_ones_is_no_change():
    old, new = b"doc\nfunc\nbody\nend\n", b"new doc\nfunc\nnew body\nend\n"
    ledger = Ledger(old)
    ledger.splice(Span(9, 9), b"new ", 1)
    ledger.splice(Span(0, 0), b"new ", 2)
    for pieces in (None, ledger.pieces()):
        assert diff_stat(old, new, pieces) == (2, 2)
        assert "\n func\n" in unified_diff("f", old, new, pieces)


def test_lines_inserted_around_a_line_leave_it_alone():
    ledger = Ledger(b"func\nbody\n")
    ledger.splice(Span(5, 5), b"more\n", 1)
    ledger.splice(Span(0, 0), b"doc\n", 2)
    assert diff_stat(ledger.base, ledger.text, ledger.pieces()) == (2, 0)


def test_lines_that_replaced_text_repeats_are_no_change():
    old, new = b"a\nb\nc\nd\n", b"x\nb\nc\ny\n"
    ledger = Ledger(old)
    ledger.splice(Span(0, len(old)), new, 1)
    assert diff_stat(old, new, ledger.pieces()) == (2, 2)


def test_files_that_come_and_go_are_told_as_git_does():
    assert unified_diff("f", None, b"a\n") == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
    assert unified_diff("f", b"a\n", None) == "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    assert unified_diff("f", b"a", b"a\n").endswith("-a\n\\ No newline at end of file\n+a\n")


def test_pieces_are_whole_lines_that_stand_in_both():
    assert diff_pieces(b"a\nb\nc\n", b"a\nx\nc\n") == ((0, 0, 2), (4, 4, 2))
