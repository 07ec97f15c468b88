"""Both checkers give the same verdict: a slice here, the long sweep by `make agree`."""

from __future__ import annotations

from pathlib import Path

import pytest
from dirs import Dirs

from ago.config import cache_home
from ago.dev.agree import Word, agree, place_alike, run
from ago.dev.mutations import KINDS, mutate, read_source

CORPUS = sorted((Path(__file__).parent.parent / "testdata" / "agree").iterdir(), key=str)
ACCEPTED = Word(())


@pytest.mark.go
@pytest.mark.parametrize("repo", CORPUS, ids=lambda repo: repo.name)
def test_slice(repo: Path, ago_dirs: Dirs) -> None:
    report = run(repo, 16, 20, cache_home(ago_dirs.env()))
    assert not report.disagreements
    assert sum(report.judged.values()) >= 16


def test_every_kind_finds_something_to_change() -> None:
    import random

    rng = random.Random(3)
    for kind in KINDS:
        file = "shape/shape_test.go" if kind == "test_only" else "shape/shape.go"
        source = read_source(file, (CORPUS[1] / file).read_bytes())
        assert any(mutate(source, kind, rng) for _ in range(20)), kind


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ACCEPTED, ACCEPTED, True),
        (ACCEPTED, Word((("a/x.go", 3, "m"),)), False),
        (Word((("a/x.go", 3, "m"),)), Word((("a/x.go", 3, "n"),)), True),
        (Word((("a/x.go", 3, "m"),)), Word((("a/x.go", 4, "m"),)), False),
        # The importer b is not compiled by the go command: it is below a.
        (Word((("a/x.go", 3, "m"), ("b/y.go", 1, "m"))), Word((("a/x.go", 3, "m"),)), True),
        (Word((("b/y.go", 1, "m"),)), Word((("a/x.go", 3, "m"),)), False),
        # Tests are below their own package.
        (Word((("a/o_test.go", 1, "m"), ("a/x.go", 3, "m"))), Word((("a/x.go", 3, "m"),)), True),
        (Word((("a/o_test.go", 1, "m"),)), Word((("a/x.go", 3, "m"),)), False),
    ],
)
def test_what_counts_as_agreement(one: Word, other: Word, same: bool) -> None:
    assert agree([one, other]) is same


def test_what_the_go_command_does_not_come_to_is_placed_alike() -> None:
    no_main = "function main is undeclared in the main package"
    unused = ("a/x.go", 5, '"os" imported and not used')
    assert place_alike([("a/x.go", 1, no_main), unused], "a/x.go") == (unused,)
    assert place_alike([("a/x.go", 1, no_main)], "a/x.go") == (("a/x.go", 1, no_main),)
    # The go command names the folder at an importer, the resident checker the clause.
    listed = "found packages a (y.go) and aQ (x.go) in /tmp/m/a"
    of_go = Word(place_alike([("b/b.go", 3, listed)], "a/x.go"))
    ours = [("a/x.go", 1, "package aQ; expected package a"), ("b/b.go", 9, "undefined: a.F")]
    assert agree([of_go, Word(place_alike(ours, "a/x.go"))])
    assert not agree([of_go, Word((("a/x.go", 2, "undefined: F"),))])
