"""Edits as text: how the formats are read, where hunks fit, what becomes of line ends."""

from __future__ import annotations

import pytest
from fake_scope import FakeScope

from grammar_ops.linediff import text_edits
from grammar_ops.reject import Reject
from grammar_ops.text.fit import find_nearest
from grammar_ops.text.formats import EditText, read_edit_text
from grammar_ops.text.landing import Landing
from grammar_ops.text.splice import Splicer

FILE = "package p\n\nfunc f() int {\n\treturn 1\n}\n\nfunc g() int {\n\treturn 2\n}\n"
BLOCK = "<<<<<<< SEARCH\n\treturn 1\n=======\n\treturn 3\n>>>>>>> REPLACE\n"
EDITED = FILE.replace("return 1", "return 3")


def land(text: str, path: str = "", files: dict[str, str] | None = None) -> dict[str, str]:
    """The files of a workspace after a text; those that it deletes are left out."""
    scope = FakeScope({"a.go": FILE} if files is None else files)
    landing = Landing(scope)
    landing.land(read_edit_text(text, path, ""))
    out = {name: scope.text(name) for name in scope.ledgers}
    for edit in reversed(landing.edits):
        old = out.get(edit.path, "").encode()
        if edit.text is None:
            out.pop(edit.path)
        else:
            new = old[: edit.span.start] + edit.text + old[edit.span.end :]
            out[edit.path] = new.decode()
    return out


def refusal(text: str, path: str = "", files: dict[str, str] | None = None) -> Reject:
    with pytest.raises(Reject) as caught:
        land(text, path, files)
    return caught.value


@pytest.mark.parametrize(
    "above",
    [
        "a.go\n", "### a.go\n", "**a.go**\n", "`a.go`:\n", "File: a.go\n", "a.go\n```go\n",
        "```go a.go\n", "```a.go\n", "Here it is:\n\na.go\n```\n", "./a.go\n",
    ],
)  # fmt: skip
def test_the_file_of_a_block_stands_above_it(above: str) -> None:
    assert land(above + BLOCK)["a.go"] == EDITED


def test_blocks_with_other_markers() -> None:
    cline = "a.go\n------- SEARCH\n\treturn 1\n=======\n\treturn 3\n+++++++ REPLACE\n"
    roo = (
        "<<<<<<< SEARCH\n:start_line:4\n-------\n\treturn 1\n=======\n\treturn 3\n>>>>>>> REPLACE\n"
    )
    assert land(cline)["a.go"] == land(roo, "a.go")["a.go"] == EDITED


def test_a_block_without_a_search_makes_a_file() -> None:
    text = "b.go\n<<<<<<< SEARCH\n=======\npackage p\n>>>>>>> REPLACE\n"
    assert land(text)["b.go"] == "package p\n"
    assert refusal(text.replace("b.go", "a.go")).reason == "target_file_exists"


def test_blank_lines_around_a_search_are_nothing() -> None:
    text = BLOCK.replace("\treturn 1\n", "\n\treturn 1\n\n")
    assert land(text, "a.go")["a.go"] == EDITED


def test_lines_that_were_left_out_can_not_be_found() -> None:
    text = "<<<<<<< SEARCH\nfunc f() int {\n...\n}\n=======\n>>>>>>> REPLACE\n"
    assert "left out" in refusal(text, "a.go").detail


def test_a_marker_that_is_missing_is_named_with_its_line() -> None:
    again = refusal(BLOCK.replace("=======\n", ""), "a.go")
    assert again.reason == "edit_text_malformed" and "=======" in again.detail
    nested = refusal("<<<<<<< SEARCH\n\treturn 1\n" + BLOCK, "a.go")
    assert nested.diagnostics[0].line == 3


@pytest.mark.parametrize(
    "header",
    [
        "--- a/a.go\n+++ b/a.go\n@@ -3,3 +3,3 @@\n", "--- a.go\t2026\n+++ a.go\t2026\n@@ @@\n",
        "--- a/a.go\n+++ b/a.go\n@@ ... @@\n", "@@ -1,9 +1,9 @@ func f() int {\n",
        'diff --git "a/a.go" "b/a.go"\nindex 1..2\n--- "a/a.go"\n+++ "b/a.go"\n@@ -3 +3 @@\n',
        "```diff\n--- a/a.go\n+++ b/a.go\n@@ -3,3 +3,3 @@\n",
    ],
)  # fmt: skip
def test_headers_of_hunks(header: str) -> None:
    body = " func f() int {\n-\treturn 1\n+\treturn 3\n }\n"
    tail = "```\n" if header.startswith("```") else ""
    assert land(header + body + tail, "a.go")["a.go"] == EDITED


def test_hunks_with_wrong_counts_end_where_the_next_file_begins() -> None:
    one = "--- a/a.go\n+++ b/a.go\n@@ -3,30 +3,30 @@\n-\treturn 1\n+\treturn 3\n"
    two = one.replace("a.go", "b.go")
    files = land(one + two, files={"a.go": FILE, "b.go": FILE})
    assert files == {"a.go": EDITED, "b.go": EDITED}


def test_gone_and_new_lines_that_look_like_a_header() -> None:
    old = "-- one\nx\n"
    text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- one\n+++ two\n x\n"
    assert land(text, files={"q.sql": old}) == {"q.sql": "++ two\nx\n"}


def test_the_line_that_a_hunk_names_goes_before_what_stands_above_it() -> None:
    old = "head\nx\ny\nhead\nx\ny\n"
    text = "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-head\n+top\n@@ -2,2 +2,2 @@ head\n x\n-y\n+z\n"
    assert land(text, files={"n": old})["n"] == "top\nx\nz\nhead\nx\ny\n"


def test_hunks_of_one_line_count_from_the_line_they_name() -> None:
    old = "".join(f"{n % 2}\n" for n in range(10))
    text = "--- a/n\n+++ b/n\n@@ -4 +4,2 @@\n-1\n+x\n+y\n@@ -8 +9 @@\n-1\n+z\n"
    assert land(text, files={"n": old})["n"] == "0\n1\n0\nx\ny\n0\n1\n0\nz\n0\n1\n"


def test_a_hunk_of_new_lines_alone() -> None:
    assert land("--- a/n\n+++ b/n\n@@ -1,0 +2 @@\n+b\n", files={"n": "a\nc\n"})["n"] == "a\nb\nc\n"


def test_files_without_a_final_line_break() -> None:
    stays = "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    assert land(stays + "\\ No newline at end of file\n", files={"n": "a\nb"})["n"] == "a\nc"
    assert land(stays, files={"n": "a\nb"})["n"] == "a\nc\n"
    block = "n.txt\n<<<<<<< SEARCH\nb\n=======\nb\nc\n>>>>>>> REPLACE\n"
    assert land(block, files={"n.txt": "a\nb"})["n.txt"] == "a\nb\nc"


def test_what_git_says_that_text_can_not_do() -> None:
    for line in ("Binary files a/x and b/x differ", "copy from a.go"):
        again = refusal(f"diff --git a/a.go b/a.go\n{line}\n--- a/a.go\n+++ b/a.go\n")
        assert again.reason == "edit_text_malformed"


HUNK = "@@ -3,3 +3,3 @@\n func f() int {\n-\treturn 1\n+\treturn 3\n }\n"


@pytest.mark.parametrize(
    "header",
    [
        "--- a.go.orig 2026-01-02 03:04:05.6 +0100\n+++ a.go 2026-01-02 03:05:05\n",
        "--- old/a.go\n+++ new/a.go\n", "--- a.go\n+++ a_fixed.go\n",
        "diff --git i/a.go w/a.go\nold mode 100644\nnew mode 100755\n--- i/a.go\n+++ w/a.go\n",
        "diff --git a.go a.go\n--- a.go\n+++ a.go\n",
        'diff --git "a/a.go" "b/a.go"\n--- "a/\\xzz"\n+++ "b/a.go"\n',
    ],
)  # fmt: skip
def test_a_file_by_two_names_is_the_one_that_is_here(header: str) -> None:
    assert land(header + HUNK) == {"a.go": EDITED}


def test_git_moves_a_file_without_its_letters_too() -> None:
    header = "diff --git a.go b.go\nrename from a.go\nrename to b.go\n--- a.go\n+++ b.go\n"
    assert land(header + HUNK) == {"b.go": EDITED}
    assert land(header.partition("---")[0]) == {"b.go": FILE}


def test_a_mailed_patch_ends_at_its_signature() -> None:
    mail = (
        "From 1f2e Mon Sep 17 00:00:00 2001\nSubject: [PATCH] Three\n\n---\n a.go | 2 +-\n\n"
        "diff --git a/a.go b/a.go\nindex 1f2e..3d4c 100644\n--- a/a.go\n+++ b/a.go\n"
    )
    assert land(f"{mail}{HUNK}-- \n2.43.0\n\n")["a.go"] == EDITED


def test_a_new_file_goes_where_the_others_of_its_text_are() -> None:
    fresh = "--- /dev/null\n+++ b/repo/b.go\n@@ -0,0 +1 @@\n+package p\n"
    text = f"{fresh}--- a/repo/a.go\n+++ b/repo/a.go\n{HUNK}"
    assert land(text) == {"a.go": EDITED, "b.go": "package p\n"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("diff --git a/a.go b/a.go\nold mode 100644\nnew mode 100755\n", "only the file's mode"),
        ("--- a/a.go\n+++ b/a.go\n", "nothing of the file"),
        ("--- a/a.go\n+++ b/a.go\n@@@ -1,2 -1,2 +1,3 @@@\n++x\n", "combined diff"),
    ],
)
def test_a_diff_that_says_no_change_of_text_is_refused(text: str, said: str) -> None:
    again = refusal(text)
    assert again.reason == "edit_text_malformed" and said in again.detail


def test_a_diff_that_was_made_of_another_file_says_so() -> None:
    text = "diff --git a/a.go b/a.go\nindex 1234567..89 100644\n--- a/a.go\n+++ b/a.go\n"
    hunk = "@@ -3,2 +3,2 @@\n func f() int {\n-\treturn 9\n+\treturn 3\n"
    assert "not the one that the diff was made from" in refusal(text + hunk).detail


@pytest.mark.parametrize(
    "wrap", ["{}", "apply_patch <<'EOF'\n{}EOF\n", "```\n{}```\n", "*** Begin Patch\n{}"]
)
def test_envelopes_in_what_surrounds_them(wrap: str) -> None:
    inner = "*** Update File: a.go\n@@ func f() int {\n-\treturn 1\n+\treturn 3\n"
    whole = f"*** Begin Patch\n{inner}*** End Patch\n"
    text = wrap.format(inner if wrap.startswith("***") else whole)
    assert land(text)["a.go"] == EDITED


def test_chunks_below_the_lines_that_they_name() -> None:
    twice = FILE.replace("return 2", "return 1")
    text = "*** Begin Patch\n*** Update File: a.go\n@@ func g()\n-\treturn 1\n+\treturn 3\n"
    assert land(text, files={"a.go": twice})["a.go"] == FILE.replace("return 2", "return 3")
    several = refusal(text.replace(" func g()", ""), files={"a.go": twice})
    assert several.reason == "text_found_several"
    for offer in several.facts["texts"]:
        assert land(offer[1], files={"a.go": twice})["a.go"].count("return 3") == 1


def test_several_words_on_one_file() -> None:
    rewritten = "*** Begin Patch\n*** Delete File: a.go\n*** Add File: a.go\n+package p\n"
    assert land(rewritten) == {"a.go": "package p\n"}
    update = "*** Update File: {}\n@@\n-\treturn {}\n+\treturn 3\n"
    twice = "*** Begin Patch\n" + update.format("a.go", 2) + update.format("./a.go", 1)
    assert land(twice)["a.go"] == EDITED.replace("return 2", "return 3")
    for text in (
        "*** Begin Patch\n" + update.format("a.go", 1) + "*** Delete File: a.go\n",
        "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n*** Add File: b.go\n+x\n",
    ):
        assert refusal(text).reason == "edit_text_malformed"


def test_a_chunk_at_the_end_of_the_file() -> None:
    text = "*** Begin Patch\n*** Update File: n\n@@\n-x\n+y\n*** End of File\n*** End Patch\n"
    assert land(text, files={"n": "x\nx\n"})["n"] == "x\ny\n"


def test_typographic_signs_of_the_text_are_plain_ones() -> None:
    text = "n.go\n<<<<<<< SEARCH\n// it\u2019s \u2013 so\n=======\n// no\n>>>>>>> REPLACE\n"
    assert land(text, files={"n.go": "// it's - so\n"})["n.go"] == "// no\n"


def test_a_whole_file_in_a_fence() -> None:
    assert land(f"```go\n{EDITED}```\n", "a.go")["a.go"] == EDITED
    assert land(f"a.go\n```go\n{EDITED}```\n\nb.go\n```\npackage p\n```\n") == {
        "a.go": EDITED, "b.go": "package p\n",
    }  # fmt: skip


def test_a_go_file_that_holds_markers_is_a_file() -> None:
    text = f"package p\n\nconst doc = `\n{BLOCK}`\n"
    assert read_edit_text(text, "a.go", "").format == "whole"
    assert refusal(text).reason == "edit_names_no_file"


def test_a_whole_file_touches_what_differs() -> None:
    file = Splicer("a.go", FILE.encode())
    file.splice_whole(EDITED.encode())
    edits = text_edits(file.base, file.text, file.ledger.pieces())
    assert [new for _, _, new in edits] == [b"\treturn 3\n"]
    seen = [file.text[span.start : span.end] for span in file.seen()]
    assert seen == [b"\n\nfunc f() int {\n\treturn 3\n}"]


def test_line_ends_and_mark_of_the_file_stay() -> None:
    dos = "\ufeff" + FILE.replace("\n", "\r\n")
    assert land(BLOCK, "a.go", {"a.go": dos})["a.go"] == dos.replace("return 1", "return 3")
    crlf = BLOCK.replace("\n", "\r\n")
    assert land(crlf, "a.go")["a.go"] == EDITED


def test_of_several_places_some_tools_take_the_first() -> None:
    twice = FILE.replace("return 2", "return 1").encode()
    text = "*** Begin Patch\n*** Update File: a.go\n@@\n-\treturn 1\n+\treturn 3\n*** End Patch\n"
    file = Splicer("a.go", twice, first=True)
    assert file.splice_hunks(read_edit_text(text, "", "").edits[0]) is None
    assert file.text == twice.replace(b"return 1", b"return 3", 1)


def test_the_nearest_place() -> None:
    lines = FILE.encode().splitlines()
    near = find_nearest(lines, [b"func g() string {", b"\treturn 22"])
    assert near is not None and near.start == 6
    assert find_nearest(lines, [b"import (", b'"fmt"']) is None


def test_what_a_text_brings_up_keeps_its_change() -> None:
    text: EditText = read_edit_text(BLOCK, "a.go", "")
    hunk = text.edits[0].hunks[0]
    assert text.brought_up(hunk, [b"\treturn 11"]) == BLOCK.replace("return 1\n", "return 11\n")


def test_heads_are_what_other_code_sees() -> None:
    landing = Landing(FakeScope({"a.go": FILE}))
    head = "<<<<<<< SEARCH\nfunc g() int {\n=======\nfunc g(int) int {\n>>>>>>> REPLACE\n"
    text = BLOCK + head
    landing.land(read_edit_text(text, "a.go", ""))
    assert [sym for _, sym in landing.touched()] == ["f", "g"]
    assert [sym for _, sym in landing.heads()] == ["g"]
