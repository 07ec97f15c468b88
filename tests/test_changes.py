"""Changes of declarations between two states of some files."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from grammar_ops.syntax.changes import list_changes

_LONG = "{\n\tn := 1\n\tfor i := range 3 {\n\t\tn += i\n\t}\n\treturn n\n}\n"
_ENUM = "package p\n\nconst (\n\tA = iota + 1\n\tB\n)\n"


def told(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    before = {path: text.encode() for path, text in old.items()}
    after = {path: text.encode() for path, text in new.items()}
    found = []
    for change in list_changes(before, after):
        names = [piece.decl.sym for piece in (change.old, change.new) if piece]
        found.append(f"{'+'.join(change.kinds)} {' '.join(dict.fromkeys(names)) or change.path}")
    return found


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        ("func F() { g(1) }", "func F() {\n\tg(1)\n}", []),
        ("func F() { g(1) }", "func F() { g(2) }", ["body F"]),
        ("func F() {}", "func F(n int) {}", ["signature F"]),
        ("// F is.\nfunc F() {}", "// F was.\nfunc F() {}", ["doc F"]),
        ("//go:noinline\nfunc F() {}", "func F() {}", ["doc F"]),
        ("type T struct{ a int }", "type T struct{ a, b int }", ["declaration T"]),
        ("var a, b = 1, 2", "var a = 1\nvar c = 2", ["declaration a", "added c", "removed b"]),
        ("var a = 1", "const a = 1", ["declaration a"]),
        (f"func F() int {_LONG}", f"func G() int {_LONG}", ["renamed F G"]),
        (f"func (T) F() int {_LONG}", f"func (U) F() int {_LONG}", ["renamed T.F U.F"]),
        ("func F() {}", "func G() {}", ["added G", "removed F"]),
        (f"func F() int {_LONG}func H() int {_LONG}", f"func G() int {_LONG}",
         ["added G", "removed F", "removed H"]),
        ("func init() { a() }\nfunc init() { b() }", "func init() { b() }", ["removed init"]),
        ('import "math/rand"\nfunc F() {}', 'import "math/rand/v2"\nfunc F() {}', ["header p.go"]),
        ('import "os"\nfunc F() {}', 'import _ "os"\nfunc F() {}', ["header p.go"]),
        ('import "os"\nfunc F() { os.Exit(1) }', "func F() {}", ["body F"]),
    ],
)  # fmt: skip
def test_changes_of_one_file(old: str, new: str, want: list[str]) -> None:
    got = told({"p.go": f"package p\n\n{old}\n"}, {"p.go": f"package p\n\n{new}\n"})
    assert sorted(got) == sorted(want)


def test_constants_depend_on_their_place_and_on_what_they_repeat() -> None:
    assert told({"p.go": _ENUM}, {"p.go": _ENUM.replace("\tB\n", "\tX\n\tB\n")}) == [
        "added X", "declaration B",
    ]  # fmt: skip
    assert told({"p.go": _ENUM}, {"p.go": _ENUM.replace("+ 1", "+ 2")}) == [
        "declaration A", "declaration B",
    ]  # fmt: skip


def test_moves_between_files_and_packages() -> None:
    body = f"func F() int {_LONG}"
    old = {"a/one.go": f"package a\n\n{body}", "b/b.go": "package b\n"}
    moved = {"a/one.go": "package a\n", "a/two.go": f"package a\n\n{body}", "b/b.go": "package b\n"}
    assert told(old, moved) == ["moved F"]
    away = {"a/one.go": "package a\n", "b/b.go": f"package b\n\n{body}"}
    assert told(old, away) == ["moved F"]
    assert told(old, {"b/b.go": old["b/b.go"]}) == ["removed F"]
    changed = {"a/two.go": f"package a\n\n{body.replace('3', '4')}", "b/b.go": "package b\n"}
    assert told(old, changed) == ["moved+body F"]


def test_a_build_constraint_is_a_change_of_the_file() -> None:
    text = "package p\n\nfunc F() {}\n"
    assert told({"p.go": text}, {"p.go": f"//go:build linux\n\n{text}"}) == ["header p.go"]
