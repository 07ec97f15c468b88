"""What the language server does with texts: positions by encoding, merges, offers by syntax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from ago.fronts.lsp.actions import fill, list_offers, split_exprs
from ago.fronts.lsp.convert import Text, parse_pos, path_of, uri_of
from ago.fronts.lsp.desk import Desk
from ago.fronts.lsp.documents import Document, apply_edits, map_offset

TEXT = "package p\r\n\n// žluť 𝛼x\nvar V = 1".encode()


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 14), ("utf-16", 10), ("utf-32", 9)])
def test_positions_count_as_the_client_does(encoding: str, character: int):
    text, at = Text(TEXT, encoding), TEXT.index(b"x")
    assert text.position(at) == types.Position(2, character)
    assert text.offset(types.Position(2, character)) == at
    assert text.point(at) == (3, 15)
    assert text.offset_of(3, 15) == at


@pytest.mark.parametrize(
    ("line", "character", "offset"),
    [(0, 99, 9), (1, 5, 11), (3, 99, len(TEXT)), (9, 0, len(TEXT))],
)
def test_positions_past_an_end_are_the_end(line: int, character: int, offset: int):
    assert Text(TEXT).offset(types.Position(line, character)) == offset


def test_half_of_a_surrogate_pair_is_the_character_before():
    text = Text("𝛼x".encode())
    assert text.offset(types.Position(0, 1)) == 0


def test_files_have_uris_and_positions():
    assert path_of(uri_of("/tmp", "a b/ž.go")) == "/tmp/a b/ž.go"
    assert path_of("untitled:x.go") == ""
    assert parse_pos("a/b.go:3:4") == ("a/b.go", 3, 4)
    assert parse_pos("a/b.go") == ("a/b.go", 0, 0)


BASE = b"one\ntwo\nthree\nfour\n"


def opened(text: bytes, disk: bytes) -> Document:
    document = Document.open("a.go", 1, BASE, BASE)
    document.take(text, 2)
    document.look(disk)
    return document


@pytest.mark.parametrize(
    ("text", "disk", "want"),
    [
        (BASE, b"one\nTWO\nthree\nfour\n", b"one\nTWO\nthree\nfour\n"),
        (b"zero\n" + BASE, b"one\nTWO\nthree\nfour\n", b"zero\none\nTWO\nthree\nfour\n"),
        (b"one\ntwo\nthree\nFOUR\n", b"two\nthree\nfour\n", b"two\nthree\nFOUR\n"),
        (b"ONE\ntwo\nthree\nfour\n", BASE + b"five\n", b"ONE\ntwo\nthree\nfour\nfive\n"),
        (b"one\nthree\nfour\n", b"one\ntwo\nthree\nIV\n", b"one\nthree\nIV\n"),
    ],
)
def test_what_others_wrote_goes_between_what_was_typed(text: bytes, disk: bytes, want: bytes):
    document = opened(text, disk)
    merge = document.merge()
    assert not merge.conflicts
    merged = apply_edits(document.text, merge.edits)
    assert merged == want
    assert not document.settle(), "not before the editor has it"
    document.take(merged + b"typed on\n", 3)
    assert document.settle()
    assert document.base == disk and document.is_unsaved


def test_lines_that_both_changed_are_a_conflict():
    document = opened(b"one\nmine\nthree\nfour\n", b"one\ntheirs\nthree\nfour\n")
    assert document.merge().conflicts == [4]
    document.save()
    assert not document.is_behind, "the user has chosen"


def test_a_document_that_was_reloaded_is_no_unsaved_one():
    document = opened(BASE, b"new\n")
    assert document.is_behind and not document.is_unsaved
    document.take(b"new\n", 3)
    assert not document.is_behind and not document.is_unsaved


def test_a_line_that_others_wrote_anew_has_no_address(tmp_path: Path):
    """It is no address of the package that its file belongs to, above all."""
    link: Any = None
    desk = Desk(str(tmp_path), link, "utf-16")
    desk.documents["a.go"] = Document.open("a.go", 1, BASE, BASE)
    (tmp_path / "a.go").write_bytes(BASE.replace(b"two", b"other"))
    assert desk.address("a.go", BASE.index(b"two")) == ""
    assert desk.address("a.go", BASE.index(b"three")) == "a.go:3:1"


def test_a_place_is_found_in_another_version_of_a_text():
    assert map_offset(BASE, b"zero\n" + BASE, 4) == 9
    assert map_offset(BASE, b"one\nTWO\n", 5) is None


SRC = b"""package p

type T struct{ n int }

type I interface{ M() }

func F(c chan int) error {
	v, err := load(g(1), 2)
	if err := s.ReadAll(); err != nil {
		return err
	}
	select {
	case <-c:
	}
	switch v {
	}
	return nil
}

var (
	a = 1
	b = 2
)
"""


def offers_at(needle: str, path: str = "p/a.go", src: bytes = SRC) -> list[str]:
    return [str(o.op["op"]) for o in list_offers(path, src, src.index(needle.encode()))]


@pytest.mark.parametrize(
    ("needle", "ops"),
    [
        ("v, err", ["wrap_error"]),
        ("return err", ["wrap_error"]),
        ("case <-c", ["add_case"]),
        ("switch v", ["add_case"]),
        ("F(c", ["add_test", "add_param", "move_decl", "move_decl"]),
        ("T struct", ["implement_interface", "move_decl", "move_decl"]),
        ("I interface", ["move_decl", "move_decl"]),
        ("b = 2", ["move_decl", "move_decl"]),
        ("package", []),
    ],
)
def test_offers_fit_the_place(needle: str, ops: list[str]):
    assert offers_at(needle) == ops


def test_what_is_predeclared_has_no_error_to_return():
    for call in ("len(vs)", "string(vs)", "append(vs, load()...)"):
        src = SRC.replace(b"load(g(1), 2)", call.encode())
        assert "wrap_error" not in offers_at("v, err", src=src)


def test_an_offer_knows_its_target_and_fills_in_answers():
    offer = list_offers("p/a.go", SRC, SRC.index(b"load"))[0]
    assert (offer.op["sym"], offer.op["at"]) == ("p/a.go:7:6", "n1")
    assert fill(offer.wire(), {})["message"] == "load"
    assert fill(offer.wire(), {"message": " opening "})["message"] == "opening"
    (case,) = list_offers("p/a.go", SRC, SRC.index(b"switch v"))
    assert fill(case.wire(), {"exprs": '"a,b", f(1, 2)'})["exprs"] == ['"a,b"', "f(1, 2)"]
    assert split_exprs("") == []


def test_rows_are_offered_in_tests():
    src = b"package p\n\nfunc TestF(t *testing.T) {\n\tcheck()\n}\n"
    assert "add_test_case" in offers_at("check", "p/a_test.go", src)
