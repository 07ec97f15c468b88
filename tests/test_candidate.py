"""From draft to candidate: formatting keeps what the ops did not write, and never breaks a file."""

from __future__ import annotations

import pytest

from ago.checker.gocmd import find_go
from ago.checker.gofmt import Gofmt
from ago.gate.proofs.trivia import prove_trivia
from ago.patch.candidate import format_draft
from ago.patch.imports import ImportChanges
from ago.stages import Candidate, Draft, DraftFile
from grammar_ops.reject import Reject

BASE = b"package p\n\n// A is one.\nvar A = 1\n"


def draft(text: bytes, base: bytes = BASE) -> Draft:
    """A draft that rewrote all of p.go."""
    file = DraftFile("p.go", base, text, ())
    written = ((0, len(text), 1),)
    return Draft({"p.go": file}, (), (), (), False, {"p.go": ((0, len(text)),)}, {"p.go": written})


@pytest.mark.go
def test_a_file_that_a_patch_breaks_is_refused() -> None:
    with pytest.raises(Reject) as caught:
        format_draft(draft(b"package p\n\nvar A = )\n"), Gofmt(find_go()), ImportChanges(), {})
    assert caught.value.reason == "patch_does_not_parse"
    assert (caught.value.diagnostics[0].file, caught.value.diagnostics[0].line) == ("p.go", 3)


@pytest.mark.go
def test_a_file_that_was_broken_may_stay_so() -> None:
    """So that a broken tree can be mended in steps."""
    broken = draft(b"package p\n\nvar A = )\n", b"package p\n\nvar A = (\n")
    assert format_draft(broken, Gofmt(find_go()), ImportChanges(), {}).files["p.go"].text


def test_formatting_that_loses_a_comment_is_refused() -> None:
    before = draft(BASE)
    final = DraftFile("p.go", BASE, b"package p\n\nvar A = 1\n", ())
    with pytest.raises(Reject) as caught:
        prove_trivia(Candidate(before, {"p.go": final}))
    assert caught.value.reason == "comment_lost"


def test_formatting_may_move_white_space_in_a_comment() -> None:
    before = draft(b"package p\n\n//A  is one.\nvar   A = 1\n")
    final = DraftFile("p.go", BASE, b"package p\n\n// A is one.\nvar A = 1\n", ())
    prove_trivia(Candidate(before, {"p.go": final}))
