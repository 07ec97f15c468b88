"""go test as data: every failure is answered, whatever else goes wrong beside it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from ago.checker.gocmd import find_go
from ago.dev.txtar import parse
from ago.protocol.errors import Busy
from ago.runs.gotest import build_answer, parse_stream, run_tests, tail
from grammar_ops.reject import Reject

CASES = Path(__file__).parent.parent / "testdata" / "gotest" / "failures.txtar"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("m")
    for name, text in parse(CASES.read_bytes()).files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    return folder


def run(module: Path, *patterns: str, **options: Any) -> dict[str, Any]:
    return run_tests(find_go(), module, patterns, **options)


@pytest.mark.go
def test_each_package_and_test_is_answered(module: Path) -> None:
    answer = run(module, "work", timeout_s=1, env={"COLOUR": "green"})
    assert answer["status"] == "ok"
    assert answer["pass"] is False
    by_name = {test.get("name", test["package"]): test for test in answer["tests"]}
    # A parent that failed by itself is there beside its passing subtest; one that failed only
    # through a subtest is not.
    assert "the parent itself" in by_name["TestParent"]["output"]
    assert by_name["TestParent/sub"]["pass"] is True
    assert "boom" in by_name["TestChild/bad"]["output"]
    assert by_name["TestChild/bad"]["failure"] == {"pos": "a/a_test.go:17", "msg": "boom"}
    assert by_name["TestChild/good"]["pass"] is True
    assert "TestChild" not in by_name
    assert by_name["TestLater"]["skip"] is True
    assert by_name["TestEnv"]["pass"] is True
    assert "died early" in by_name["example.com/m/dead"]["output"]
    assert by_name["TestSlow"]["pass"] is False
    assert answer["build_errors"] == [
        {
            "package": "example.com/m/broken",
            "diagnostics": [{"pos": "broken/b_test.go:5:28", "msg": "undefined: nope"}],
        }
    ]
    assert (answer["passed"], answer["failed"], answer["skipped"]) == (4, 5, 1)


@pytest.mark.go
def test_nothing_ran_is_a_refusal_with_the_compilers_words(module: Path) -> None:
    with pytest.raises(Reject) as caught:
        run(module, "./broken")
    assert caught.value.reason == "tests_could_not_run"
    finding = caught.value.diagnostics[0]
    assert (finding.file, finding.line, finding.msg) == ("broken/b_test.go", 5, "undefined: nope")


@pytest.mark.go
def test_a_filter_that_matches_nothing_says_so(module: Path) -> None:
    answer = run(module, "./a", run="Nowhere")
    assert answer["pass"] is True
    assert answer["warnings"] == [{"msg": "no test matched"}]


@pytest.mark.go
def test_a_filter_of_subtests_that_matches_none_says_so(module: Path) -> None:
    answer = run(module, "./a", run="TestGood/nowhere")
    assert answer["passed"] == 1
    assert answer["warnings"] == [{"msg": "no subtest matched TestGood/nowhere"}]


@pytest.mark.go
def test_a_test_that_ends_its_process_says_so(module: Path) -> None:
    answer = run(module, "./leaves")
    (test,) = answer["tests"]
    assert (test["name"], test["pass"]) == ("TestLeave", False)
    assert test["failure"] == {"msg": "the process ended before the test did"}


@pytest.mark.go
def test_a_caller_that_goes_away_stops_the_run(module: Path) -> None:
    gone = threading.Event()
    gone.set()
    with pytest.raises(Busy):
        run(module, "./slow", gone=gone)


def test_the_budget_keeps_failures_and_counts_the_rest() -> None:
    names = [f"Test{n}" for n in range(500)]
    events = "\n".join(
        f'{{"Action":"{"fail" if n == "Test499" else "pass"}","Package":"p","Test":"{n}"}}'
        for n in names
    )
    answer: dict[str, Any] = build_answer(parse_stream(events.encode()), 4000)
    assert answer["tests"][0]["name"] == "Test499"
    assert answer["passed"] == 499
    assert len(answer["tests"]) + answer["tests_left_off"] == 500


def test_an_output_ends_with_whole_lines() -> None:
    assert tail("first\nsecond\nthird\n", 10) == "third\n"
    assert tail("short", 14) == "short"
