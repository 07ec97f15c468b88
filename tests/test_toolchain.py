"""The go command as a checker: what compiles, what does not, and where it says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ago.checker.checker import CheckRequest, CheckResult
from ago.checker.diagnostics import parse_output
from ago.checker.gocmd import find_go
from ago.checker.toolchain import Toolchain

DEMO = Path(__file__).resolve().parent.parent / "testdata" / "demo"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path_factory.mktemp("go") / "demo"))


def check(root: Path, **replaced: tuple[str, str] | None) -> CheckResult:
    """Judge files with one text replaced in each; `lib__helper` is lib/helper.go."""
    overlay = {}
    for name, change in replaced.items():
        path = name.replace("__", "/") + ".go"
        text = (root / path).read_text() if (root / path).exists() else ""
        overlay[path] = None if change is None else text.replace(*change).encode()
    return Toolchain(root, find_go()).check(CheckRequest(overlay))


def errors(result: CheckResult) -> list[tuple[str, int, str]]:
    found = {(d.file, d.line, d.msg) for u in result.units for d in u.diagnostics}
    return sorted(found)


@pytest.mark.go
def test_a_sound_edit_has_no_diagnostics_and_its_importers_are_judged(demo: Path):
    result = check(demo, lib__helper=("v + 1", "v + 2"))
    assert errors(result) == []
    judged = {(u.key.pkg, u.key.variant) for u in result.units}
    assert {("demo/lib", ""), ("demo/lib", "test"), ("demo/lib", "xtest"), ("demo", "")} <= judged


@pytest.mark.go
def test_an_error_names_the_file_of_the_workspace(demo: Path):
    result = check(demo, lib__helper=("v + 1", 'v + "a"'))
    assert [(file, line) for file, line, _ in errors(result)] == [("lib/helper.go", 5)]
    assert not any("ago-overlay" in msg for _, _, msg in errors(result))


@pytest.mark.go
def test_errors_of_tests_and_importers_are_found(demo: Path):
    result = check(demo, sig__scale=("func Scale(v, f int)", "func Scales(v, f int)"))
    files = {file for file, _, _ in errors(result)}
    assert files == {"main.go", "sig/scale_test.go"}


@pytest.mark.go
def test_a_command_without_main_is_refused_by_the_linker(demo: Path):
    assert errors(check(demo, main=("func main()", "func Main()")))


@pytest.mark.go
def test_an_import_cycle_is_told(demo: Path):
    result = check(demo, lib__helper=("package lib", 'package lib\n\nimport _ "demo/sig"'))
    assert any("import cycle" in msg for _, _, msg in errors(result))


@pytest.mark.go
def test_a_deleted_file_breaks_those_who_used_it(demo: Path):
    result = check(demo, sig__scale=None)
    assert ("main.go", 16) in {(file, line) for file, line, _ in errors(result)}


@pytest.mark.go
def test_a_new_folder_is_compiled(demo: Path):
    (result,) = [
        Toolchain(demo, find_go()).check(
            CheckRequest({"fresh/f.go": b'package fresh\nvar x int = ""\n'})
        )
    ]
    assert [(file, line) for file, line, _ in errors(result)] == [("fresh/f.go", 2)]


@pytest.mark.go
def test_a_new_finding_of_vet_is_a_warning_on_its_own_file(demo: Path):
    result = check(demo, lib__helper_test=("Tail kept %d", "Tail %s kept %d"))
    assert errors(result) == []
    assert [(w.file, w.code) for w in result.warnings] == [("lib/helper_test.go", "vet/printf")]
    # The go command repeats cached findings under the shadow paths of earlier runs.
    again = check(demo, lib__helper_test=("Tail kept %d", "Tail %s kept %d"))
    assert again.warnings == result.warnings


def test_text_that_is_not_understood_is_handed_on():
    text = "# demo/lib\nlib/a.go:3:4: undefined: x\n\thave a\n\twant b\nflood in the machine room\n"
    parsed = parse_output(
        text, lambda path: path, lambda _: b"package p\n\nvar y = x\n", "toolchain"
    )
    (found,) = parsed.found
    assert (found.file, found.line, found.col, found.offset) == ("lib/a.go", 3, 4, 14)
    assert found.msg == "undefined: x have a want b"
    assert parsed.unknown == ["flood in the machine room"]


def test_the_code_of_a_message_leaves_positions_out():
    text = "a.go:3:4: x redeclared in this block\n\tb.go:7:5: other declaration of x\n"
    parsed = parse_output(text, lambda path: path, lambda _: None, "toolchain")
    assert "b.go:7:5" in parsed.found[0].msg and "7" not in parsed.found[0].code


@pytest.mark.go
def test_an_error_behind_ten_old_ones_is_found(tmp_path: Path):
    old = "".join(f"\nfunc old{n}() {{ missing{n}() }}\n" for n in range(12))
    text = f"package m\n{old}\nfunc last() {{ _ = 1 }}\n"
    (tmp_path / "go.mod").write_text("module example.test/m\n\ngo 1.26\n")
    (tmp_path / "m.go").write_text(text)
    result = check(tmp_path, m=("_ = 1", "fresh()"))
    (unit,) = (u for u in result.units if not u.key.variant)
    assert [d.msg for d in unit.base] == [f"undefined: missing{n}" for n in range(12)]
    now = [d.msg for d in unit.diagnostics]
    assert now == [*(f"undefined: missing{n}" for n in range(12)), "undefined: fresh"]
