"""Embed directives: their patterns, their variables, the files that they may take in."""

from __future__ import annotations

import pytest

from grammar_ops.syntax.embeds import list_embeds, may_embed

_SRC = b"""package p

//go:embed "a b.txt" all:web `c"d`

// Files are served.
var files embed.FS

var (
\t//go:embed x/*.txt
\ttext string
)
// go:embed is said here.
"""


def test_each_pattern_with_its_variable() -> None:
    found = [(embed.pattern, embed.variable) for embed in list_embeds(_SRC)]
    assert found == [("a b.txt", "files"), ("web", "files"), ('c"d', "files"), ("x/*.txt", "text")]
    crlf = list_embeds(_SRC.replace(b"\n", b"\r\n"))
    assert [(embed.pattern, embed.variable) for embed in crlf] == found


@pytest.mark.parametrize(
    ("pattern", "path", "want"),
    [
        ("web", "web/deep/x.html", True),
        ("web", "website/x", False),
        ("*.txt", "a.txt", True),
        ("*.txt", "x/a.txt", False),
        ("x/*.txt", "x/a.txt", True),
        ("x/*.txt", "x/a.go", False),
        ("*", "any/thing", True),
        ("a?c", "abc", True),
        ("[ab].txt", "c.txt", True),
    ],
)
def test_what_a_pattern_may_take_in(pattern: str, path: str, want: bool) -> None:
    assert may_embed(pattern, path) is want
