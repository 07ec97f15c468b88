"""go.mod files as the ops read them."""

from __future__ import annotations

import pytest

from grammar_ops.syntax import gomod

TEXT = b"""// Deprecated: no more.
module example.test/m // with a comment

go 1.24
toolchain go1.26.8

require example.test/a v1.0.0
require (
\texample.test/b v1.2.0 // indirect
\t"example.test/c" v0.0.0-20200101000000-abcdefabcdef // indirect; kept
\texample.test/d v2.0.0+incompatible // a word on it
)

replace example.test/b => ../b
exclude example.test/a v0.9.0
"""


def test_what_a_go_mod_says() -> None:
    read = gomod.read_module_file(TEXT)
    assert (read.module, read.go, read.toolchain) == ("example.test/m", "1.24", "go1.26.8")
    assert {path: r.indirect for path, r in read.requires.items()} == {
        "example.test/a": False,
        "example.test/b": True,
        "example.test/c": True,
        "example.test/d": False,
    }
    assert read.replaced == {"example.test/b": ("../b", "")}


def test_changes_in_words() -> None:
    old = gomod.read_module_file(TEXT)
    new = gomod.read_module_file(
        TEXT.replace(b"a v1.0.0", b"a v1.1.0").replace(b"go 1.24", b"go 1.25").replace(b"/d", b"/e")
    )
    assert gomod.describe_changes(old, new) == [
        "go 1.24 -> 1.25",
        "example.test/a v1.0.0 -> v1.1.0",
        "-example.test/d v2.0.0+incompatible",
        "+example.test/e v2.0.0+incompatible",
    ]
    assert gomod.lowered(old, new, "") == ["-example.test/d v2.0.0+incompatible"]
    assert gomod.lowered(new, old, "example.test/e") == ["example.test/a v1.1.0 -> v1.0.0"]


def test_versions_in_order() -> None:
    versions = ["v1.2.0", "v1.10.0", "v1.2.0-rc.10", "v1.2.0-rc.2", "v1.2.0-alpha", "nonsense"]
    assert sorted(versions, key=gomod.version_key) == [
        "nonsense", "v1.2.0-alpha", "v1.2.0-rc.2", "v1.2.0-rc.10", "v1.2.0", "v1.10.0",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "-x", "./a", "../a", "a b", "a/../b", "a@v1", "all...", "/a"])
def test_what_is_no_module_path(text: str) -> None:
    assert not gomod.is_module_path(text) or "..." in text


def test_providers() -> None:
    modules = ["example.test/a", "example.test/a/b"]
    assert gomod.provider_of("example.test/a/b/c", modules) == "example.test/a/b"
    assert gomod.provider_of("example.test/ab", modules) is None
