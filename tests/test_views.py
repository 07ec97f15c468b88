"""Views against golden tables: a Go file, and what each declaration of it is shown as."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden import TESTDATA

from ago.dev import txtar
from grammar_ops.syntax.decls import find_decl, list_decls
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.view import render_view

CASES = sorted((TESTDATA / "views").glob("*.txtar"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_views(path: Path) -> None:
    files = dict(txtar.parse(path.read_bytes()).files)
    src = files.pop("in.go")
    for name, want in files.items():
        sym, _, slots = name.partition(" ")
        decl = find_decl(parse(src), src, sym)
        assert decl is not None, sym
        text = render_view(parse(src), src, decl, slots=slots == "slots").text
        assert text.rstrip("\n") + "\n" == want.decode(), name


def test_line_breaks_are_shown_as_lf() -> None:
    src = b"package p\r\n\r\nfunc F() {\r\n\ta()\r\n}\r\n"
    decl = find_decl(parse(src), src, "F")
    assert decl is not None
    assert render_view(parse(src), src, decl) == ("func F() {\nn1: \ta()\n}\n", 1)


def test_an_error_stays_in_its_declaration() -> None:
    src = b"package p\n\nfunc F() {\n\tx := = 1\n}\n\n// G works.\nfunc G() {\n\ta()\n}\n"
    assert [d.sym for d in list_decls(parse(src), src)][-1] == "G"


def test_new_with_an_expression_is_no_error() -> None:
    src = b"package p\n\nfunc F() {\n\tx := new(1 + 2)\n\ty := new(T)\n}\n"
    decl = find_decl(parse(src), src, "F")
    assert decl is not None
    assert render_view(parse(src), src, decl).nodes == 2
