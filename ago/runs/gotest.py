"""go test: run the workspace's tests and answer per test.

Invariant: what ran is answered even where a package does not build; a failure is never lost: not of
a parent whose subtests pass, not of a package that dies outside its tests.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from ago.checker.gocmd import Go, GoResult, run_go
from ago.runs.failures import find_failure
from grammar_ops.reject import Finding, Json, Reject, register

register("runs", {"tests_could_not_run": "no test ran: packages do not build, or go test failed"})

OUTPUT_BYTES = 2000
"""How much of the end of a failing test's output is answered."""

BUILD_S = 300
"""What building may take beyond the tests' own time limit."""

BYTES_PER_TOKEN = 4
_NOWHERE = Path("/nonexistent")
_POSITION = re.compile(r"^(?:vet: )?(\S+?\.go):(\d+)(?::(\d+))?: (.*)$")
_MARKER = re.compile(r"^\s*(=== |--- |PASS$|FAIL$|FAIL\t|ok  \t|exit status )")


@dataclass
class TestRun:
    """What was heard of one test, or of a package outside its tests (name "")."""

    __test__ = False  # pytest would collect it by its name

    package: str
    name: str
    action: str = ""
    elapsed: float = 0.0
    output: list[str] = field(default_factory=list)

    @property
    def own_words(self) -> bool:
        """Whether it printed more than the test framework's own lines."""
        return any(not _MARKER.match(line) for line in self.output if line.strip())


@dataclass
class Heard:
    """Everything a `go test -json` stream said."""

    tests: dict[tuple[str, str], TestRun] = field(default_factory=dict)
    builds: dict[str, list[str]] = field(default_factory=dict)
    failed_builds: dict[str, str] = field(default_factory=dict)
    """Package -> the build that failed for it."""
    noise: list[str] = field(default_factory=list)


def run_tests(
    go: Go,
    root: Path,
    patterns: Sequence[str],
    *,
    run: str = "",
    timeout_s: int = 600,
    env: Mapping[str, str] | None = None,
    gone: threading.Event | None = None,
    max_tokens: int = 4000,
) -> dict[str, Json]:
    """Run `go test` on `patterns` and answer per test; `gone` stops it.

    Raises Reject tests_could_not_run when no test ran at all, Busy at the time limit.
    """
    args = ["test", "-count=1", "-json", "-fullpath", f"-timeout={timeout_s}s"]
    args += [f"-run={run}"] if run else []
    # The limit of go test holds for each test binary; building them comes on top.
    result = run_go(
        go,
        [*args, *patterns],
        cwd=root,
        timeout=timeout_s + BUILD_S,
        extra=client_env(go.env, env or {}),
        stop=gone,
    )
    heard = parse_stream(result.stdout, root)
    if result.code and not any(t.name for t in heard.tests.values()):
        raise _nothing_ran(heard, result)
    answer = build_answer(heard, max_tokens * BYTES_PER_TOKEN)
    if "/" in run and "warnings" not in answer and not any("/" in t for _, t in heard.tests):
        answer["warnings"] = [{"msg": f"no subtest matched {run}"}]
    return answer


def client_env(hardened: Mapping[str, str], client: Mapping[str, str]) -> dict[str, str]:
    """The client's variables for the tests; what steers the go command stays the hardened one's."""
    return {
        name: value
        for name, value in client.items()
        if name != "PATH" and not name.startswith(("GO", "CGO_")) and hardened.get(name) != value
    }


def parse_stream(stream: bytes, root: Path = _NOWHERE) -> Heard:
    """Read the events of `go test -json`; lines that are none are kept as noise. Files inside
    `root` are named from there."""
    heard = Heard()
    for line in stream.splitlines():
        try:
            event = orjson.loads(line)
        except orjson.JSONDecodeError:
            heard.noise.append(line.decode("utf-8", "replace"))
            continue
        if "Output" in event:
            event["Output"] = event["Output"].replace(f"{root}/", "")
        _hear(heard, event)
    return heard


def _hear(heard: Heard, event: Mapping[str, str]) -> None:
    action, package = event.get("Action", ""), event.get("Package", "")
    if action == "build-output":
        heard.builds.setdefault(event.get("ImportPath", ""), []).append(event.get("Output", ""))
        return
    if not package:
        return
    if build := event.get("FailedBuild"):
        heard.failed_builds[package] = build
    name = event.get("Test", "")
    test = heard.tests.setdefault((package, name), TestRun(package, name))
    if action == "output":
        test.output.append(event.get("Output", ""))
    elif action in ("pass", "fail", "skip"):
        test.action, test.elapsed = action, float(event.get("Elapsed", 0.0))


def build_answer(heard: Heard, budget: int) -> dict[str, Json]:
    """The response: counts first, failures with the end of their output, then skips and passes."""
    shown = list(_shown(heard))
    failed = [t for t in shown if _state(t) == "fail"]
    broken = [t for t in heard.tests.values() if _fails_alone(heard, t)]
    errors = [_build_error(heard, package) for package in heard.failed_builds]
    answer: dict[str, Json] = {
        "status": "ok",
        "pass": not (failed or broken or errors),
        "passed": sum(_state(t) == "pass" for t in shown),
        "failed": len(failed) + len(broken),
        "skipped": sum(_state(t) == "skip" for t in shown),
    }
    if errors:
        answer["build_errors"] = list(errors)
    if not shown and not errors and not broken:
        answer["warnings"] = [{"msg": "no test matched"}]
    order = {"fail": 0, "skip": 1, "pass": 2}
    entries = [_entry(t) for t in [*broken, *sorted(shown, key=lambda t: order[_state(t)])]]
    kept = _within(entries, budget - len(orjson.dumps(errors)))
    if kept:
        answer["tests"] = list(entries[:kept])
    if kept < len(entries):
        answer["tests_left_off"] = len(entries) - kept
    return answer


def _shown(heard: Heard) -> Iterator[TestRun]:
    """Leaf tests, and parents that failed by themselves."""
    parents = {(package, name.rpartition("/")[0]) for package, name in heard.tests if "/" in name}
    failed_parents = {
        (t.package, t.name.rpartition("/")[0])
        for t in heard.tests.values()
        if "/" in t.name and _state(t) == "fail"
    }
    for key, test in heard.tests.items():
        alone = _state(test) == "fail" and (key not in failed_parents or test.own_words)
        if test.name and (key not in parents or alone):
            yield test


def _state(test: TestRun) -> str:
    """pass, fail or skip; a test that never ended (panic, time limit, exit) failed."""
    return test.action or "fail"


def _fails_alone(heard: Heard, test: TestRun) -> bool:
    """Whether a package failed with no failing test to show for it (TestMain, init, exit)."""
    return (
        not test.name
        and test.action == "fail"
        and test.package not in heard.failed_builds
        and not any(
            t.name and t.package == test.package and _state(t) == "fail"
            for t in heard.tests.values()
        )
    )


def _entry(test: TestRun) -> dict[str, Json]:
    state = _state(test)
    entry: dict[str, Json] = {"name": test.name} if test.name else {}
    entry |= {"package": test.package}
    entry |= {"skip": True} if state == "skip" else {"pass": state == "pass"}
    if test.elapsed:
        entry["elapsed_s"] = test.elapsed
    if state == "fail":
        entry |= _failure("".join(test.output))
        if test.name and not test.action:
            entry.setdefault("failure", {"msg": "the process ended before the test did"})
    return entry


def _failure(output: str) -> dict[str, Json]:
    """What is told of a failure: the assertion or panic and its place, the end of the output."""
    told: dict[str, Json] = {}
    if found := find_failure(output):
        pos = {"pos": f"{found.file}:{found.line}"} if found.file else {}
        told["failure"] = {**pos, "msg": found.msg}
    return told | ({"output": tail(output)} if output else {})


def tail(text: str, size: int = OUTPUT_BYTES) -> str:
    """The last `size` bytes of a text, from a whole line on."""
    data = text.encode()
    if len(data) <= size:
        return text
    return data[-size:].partition(b"\n")[2].decode("utf-8", "replace")


def _within(entries: Sequence[Mapping[str, Json]], budget: int) -> int:
    """How many entries fit the budget; at least one."""
    used = 0
    for count, entry in enumerate(entries):
        used += len(orjson.dumps(entry)) + 1
        if used > budget and count:
            return count
    return len(entries)


def _build_error(heard: Heard, package: str) -> dict[str, Json]:
    text = "".join(heard.builds.get(heard.failed_builds[package], []))
    found: list[Json] = [
        {"pos": f"{f.file}:{f.line}:{f.col}", "msg": f.msg} for f in find_diagnostics(text)
    ]
    error: dict[str, Json] = {"package": package}
    return error | ({"diagnostics": found} if found else {"output": tail(text)})


def find_diagnostics(text: str) -> list[Finding]:
    """Positioned complaints in a compiler's or vet's output; paths as printed, from the root."""
    found = []
    for line in text.splitlines():
        if match := _POSITION.match(line):
            file, row, column, message = match.groups()
            found.append(Finding(file.removeprefix("./"), int(row), int(column or 0), message))
    return found


def _nothing_ran(heard: Heard, result: GoResult) -> Reject:
    text = "".join(line for lines in heard.builds.values() for line in lines)
    text = text or "\n".join(heard.noise) or result.complaint
    text = text or "".join("".join(t.output) for t in heard.tests.values())
    return Reject("tests_could_not_run", tail(text), tuple(find_diagnostics(text)))
