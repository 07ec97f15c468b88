"""Affected tests: those that reach what changed, and what is told of one that fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from dirs import Dirs
from sessions import opened
from test_git import commit, git
from workspaces import opened as opened_workspace
from workspaces import write

from ago.queries.affected import list_affected
from ago.runs.failures import find_failure

_LIB = """package lib

type Limits struct{ Most int }

// Double is twice n.
func Double(n int) int { return 2 * n }

func Half(n int) int { return n / 2 }

func (l Limits) Cut(n int) int { return min(n, l.Most) }
"""
_LIB_TEST = """package lib

import "testing"

func TestDouble(t *testing.T) {
	if got := Double(2); got != 4 {
		t.Errorf("Double(2) = %d,\\nwant 4", got)
	}
}

func TestHalf(t *testing.T) { _ = Half(2) }

func TestCut(t *testing.T) { _ = Limits{3}.Cut(4) }

func BenchmarkDouble(b *testing.B) { _ = Double(1) }
"""
_APP = 'package app\n\nimport "m/lib"\n\nfunc Run() int { return lib.Double(1) }\n'
_APP_TEST = """package app_test

import (
	"testing"

	"m/app"
)

func TestRun(t *testing.T) { _ = app.Run() }
"""
_TEXT = """package text

import "embed"

//go:embed "words/a b.txt" more/*

// Words are read by Say.
var Words embed.FS

func Say() string { return "" }
"""
_TEXT_TEST = 'package text\n\nimport "testing"\n\nfunc TestSay(t *testing.T) { _ = Say() }\n'
_USER_TEST = """package user

import (
	"testing"

	"m/text"
)

func TestWords(t *testing.T) { _ = text.Words }

func TestOther(t *testing.T) {}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "m"
    root.mkdir()
    git(root, "init", "-q")
    files = {"go.mod": "module m\n\ngo 1.26\n", "lib/lib.go": _LIB, "lib/lib_test.go": _LIB_TEST}
    files |= {"app/app.go": _APP, "app/app_test.go": _APP_TEST, "lib/testdata/in.txt": "1\n"}
    files |= {"text/text.go": _TEXT, "text/words/a b.txt": "a\n", "text/text_test.go": _TEXT_TEST}
    files |= {"text/more/y": ""}
    commit(root, "all", {**files, "app/user/user_test.go": _USER_TEST})
    return root


@pytest.mark.go
def test_the_tests_that_reach_a_change_run_and_a_failure_leads_on(
    checkout: Path, ago_dirs: Dirs
) -> None:
    with opened(checkout, ago_dirs) as ago:
        idle = ago("test", {"affected": True})
        assert idle["warnings"] == [{"msg": "no test reaches what changed"}]
        edit = ago("set_body", {"sym": "lib.Double", "body": "return 3 * n"})
        for since in ({}, {"since": str(edit["edit"] - 1)}):
            answer = ago("test", {"affected": True, **since})
            names = {test["name"]: test for test in answer["tests"]}
            assert set(names) == {"TestDouble", "TestRun"}
            assert (answer["pass"], answer["affected"], answer["changes"]) == (False, 2, 1)
        failed = names["TestDouble"]
        assert failed["pos"] == "lib/lib_test.go:5:6"
        want = {"pos": "lib/lib_test.go:7", "msg": "Double(2) = 6, want 4"}
        assert failed["failure"] == want
        shown = [ago(call["tool"], call["args"]) for call in failed["next"]]
        assert [answer["symbol"] for answer in shown] == ["m/lib.TestDouble", "m/lib.Double"]
        assert ago("test", {"since": str(edit["edit"])})["affected"] == 0
        write(checkout, {"app/app_test.go": _APP_TEST.replace("app.Run", "app.Ran")})
        refused = ago("test", {"pkg": "app"})
        assert (refused["status"], refused["reason"]) == ("rejected", "tests_could_not_run")
        assert refused["diagnostics"] == [
            {"pos": "app/app_test.go:9:38", "msg": "undefined: app.Ran"}
        ]


@pytest.mark.go
@pytest.mark.parametrize(
    ("files", "want"),
    [
        ({"lib/lib.go": _LIB.replace("Most int", "Most, Least int")}, {"TestCut"}),
        ({"lib/lib.go": _LIB.replace("is twice", "doubles")}, set()),
        ({"lib/lib.go": _LIB.replace("// Double", "//go:noinline\n// Double")},
         {"TestDouble", "BenchmarkDouble", "TestRun"}),
        ({"lib/lib.go": _LIB + "\nfunc init() { println() }\n"},
         {"TestDouble", "TestHalf", "TestCut", "BenchmarkDouble", "TestRun"}),
        ({"lib/lib_test.go": _LIB_TEST.replace("Half(2)", "Half(4)")}, {"TestHalf"}),
        ({"app/app.go": _APP.replace("import", 'import _ "os"\n\nimport')}, {"TestRun"}),
        ({"go.mod": "module m\n\ngo 1.25\n"},
         {"TestDouble", "TestHalf", "TestCut", "BenchmarkDouble", "TestRun", "TestSay", "TestWords",
          "TestOther"}),
        ({"lib/testdata/in.txt": "2\n"}, {"TestDouble", "TestHalf", "TestCut", "BenchmarkDouble"}),
        ({"lib/testdata/new/in.go": "package new\n", "lib/README": "x"},
         {"TestDouble", "TestHalf", "TestCut", "BenchmarkDouble"}),
        ({"app/internal/testdata/x": "", "lib/testdata/in.txt": "1\r\n"}, set()),
        ({"app/testdata/x": ""}, {"TestRun"}),
        ({"text/words/a b.txt": "b\n"}, {"TestSay", "TestWords"}),
        ({"text/more/deep/x": "", "text/words/c.txt": ""}, {"TestSay", "TestWords"}),
        ({"text/words/c.txt": ""}, set()),
    ],
)  # fmt: skip
def test_what_a_change_reaches(
    checkout: Path, ago_dirs: Dirs, files: dict[str, str], want: set[str]
) -> None:
    write(checkout, files)
    with opened_workspace(checkout, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        found = list_affected(snapshot, "")
    assert {test.sym for test in found.tests} == want


@pytest.mark.parametrize(
    ("output", "want"),
    [
        ("=== RUN   TestA\n    a/a_test.go:7: got 1\n        want 2\n    a/a_test.go:9: later\n",
         ("a/a_test.go", 7, "got 1 want 2")),
        ("    a/a_test.go:7: \n        \tError Trace:\ta/a_test.go:7\n        \tError:      \tno\n",
         ("a/a_test.go", 7, "Error: no")),
        ("--- FAIL: TestA (0.00s)\npanic: boom [recovered, repanicked]\n\ngoroutine 7 [running]:\n"
         "testing.tRunner.func1()\n\t/go/src/testing/testing.go:1 +0x1\nm/a.F(...)\n\ta/a.go:3\n",
         ("a/a.go", 3, "panic: boom")),
        ("panic: test timed out after 1s\n\nmain.main()\n\t_testmain.go:60 +0x9b\n\n"
         "goroutine 7 [sleep]:\ntime.Sleep(0x1)\n\t/go/src/time.go:1 +0x1\nm/a.TestA(0x1)\n"
         "\ta/a_test.go:12 +0x1\n", ("a/a_test.go", 12, "panic: test timed out after 1s")),
        ("panic: test timed out after 1s\n", ("", 0, "panic: test timed out after 1s")),
        ("--- FAIL: ExampleF (0.00s)\ngot:\n1\nwant:\n2\n", ("", 0, "got: 1 want: 2")),
        ("=== RUN   TestA\n--- FAIL: TestA (0.00s)\n", None),
    ],
)  # fmt: skip
def test_the_first_failure_of_an_output(output: str, want: tuple[str, int, str] | None) -> None:
    found = find_failure(output)
    assert (found and (found.file, found.line, found.msg)) == want
