"""A tree that followed edits is the tree of the text."""

from __future__ import annotations

import random

from golden import ROOT

from grammar_ops.edit import Edit, Span, apply_edits
from grammar_ops.syntax.parse import parse, reparse

TEXTS = (b"", b"x := 1\n", b"// c\n", b"{", b"}", b"if a {\n\tb()\n}\n", b"\t", b"new(1)", b"`a\n")


def test_trees_that_follow_edits_are_those_of_the_text() -> None:
    """Runs of edits, several at once, valid or not."""
    rng = random.Random(20)
    src = (ROOT / "testdata/demo/lib/helper.go").read_bytes()
    for _ in range(60):
        text, tree = src, parse(src)
        for _ in range(6):
            cuts = sorted(rng.sample(range(len(text)), 4))
            spans = [Span(cuts[0], cuts[0]), Span(cuts[1], min(cuts[1] + 3, cuts[2]))]
            edits = [Edit("f.go", span, rng.choice(TEXTS)) for span in spans]
            after = apply_edits(text, edits)
            tree, text = reparse(tree, text, edits, after), after
            assert str(tree.root_node) == str(parse(text).root_node), text
            if tree.root_node.has_error:
                text, tree = src, parse(src)


def test_trees_follow_valid_edits() -> None:
    """Statements put before others, again and again: nothing is wrong in between."""
    rng = random.Random(21)
    text = (ROOT / "testdata/demo/lib/helper.go").read_bytes()
    tree = parse(text)
    for number in range(40):
        places = [m for m in range(len(text)) if text[m : m + 2] == b"\n\t"]
        at = rng.choice(places) + 1
        edits = [Edit("f.go", Span(at, at), b"\tprintln(%d)\n" % number)]
        after = apply_edits(text, edits)
        tree, text = reparse(tree, text, edits, after), after
        fresh = parse(text)
        assert not fresh.root_node.has_error
        assert str(tree.root_node) == str(fresh.root_node)
        assert [n.start_point for n in tree.root_node.children] == [
            n.start_point for n in fresh.root_node.children
        ]
