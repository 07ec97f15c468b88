"""Statements that an edit leaves without a way to them: go vet's `unreachable` is the measure."""

import pytest

from ago.patch.unreached import find_unreached
from ago.stages import DraftFile
from grammar_ops.linediff import diff_pieces
from grammar_ops.syntax.parse import parse

BODIES = {
    "after a return": ("return\n\tg()", [5]),
    "after a panic": ('panic("no")\n\tg()', [5]),
    "after a loop without an end": ("for {\n\t}\n\tg()", [6]),
    "after an if": ("if a {\n\t\treturn\n\t} else {\n\t\treturn\n\t}\n\tg()", [9]),
    "behind a break": ("for {\n\t\tbreak\n\t\tg()\n\t}\n\tg()", [6]),
    "in a clause": ("switch {\n\tcase a:\n\t\treturn\n\t\tg()\n\t}\n\tg()", [7]),
    "in a function literal": ("defer func() {\n\t\treturn\n\t\tg()\n\t}()", [6]),
    "a label may be jumped to": ("goto L\nL:\n\tg()", []),
    "a loop that is left": ("for {\n\t\tif a {\n\t\t\tbreak\n\t\t}\n\t}\n\tg()", []),
    "one way out is enough": ("if a {\n\t\treturn\n\t}\n\tg()", []),
}  # fmt: skip


def _file(body: str, base: str | None = None) -> DraftFile:
    frame = "package p\n\nfunc f() {\n\t%s\n}\n"
    text = (frame % body).encode()
    before = None if base is None else (frame % base).encode()
    return DraftFile("p.go", before, text, diff_pieces(before or b"", text))


@pytest.mark.parametrize("name", BODIES)
def test_what_nothing_leads_to_is_named(name: str) -> None:
    body, lines = BODIES[name]
    assert [found.line for found in find_unreached([_file(body)], parse)] == lines


def test_what_was_unreached_before_is_not_said_again() -> None:
    before = "return\n\tg()"
    assert not find_unreached([_file(f"h()\n\t{before}", before)], parse)
    assert [
        found.line for found in find_unreached([_file("return\n\th()\n\tg()", before)], parse)
    ] == [5]
