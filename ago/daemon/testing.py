"""test: which tests a request means, and what to look at where some fail.

Invariant: what ran is the runs layer's answer; places and next calls are added from the facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple, cast

import re2

from ago.daemon.caller import Caller
from ago.facts import read
from ago.facts.satisfaction import NOTHING
from ago.protocol.errors import AgoError
from ago.protocol.requests import Test
from ago.queries import reach
from ago.queries.affected import Affected, list_affected
from ago.queries.uses import name_of
from ago.runs.gotest import run_tests
from ago.workspace.address import resolve_package
from ago.workspace.snapshot import Snapshot
from ago.workspace.workspace import Workspace
from grammar_ops.reject import Json, Reject
from grammar_ops.syntax.names import run_kind

Body = dict[str, Json]

_LOOKED_AT = 5
"""Failing tests that come with next calls."""
_LONGEST_PATTERN = 30_000
"""Letters of a -run expression; of more tests, whole packages run."""


class Selection(NamedTuple):
    """What go test is asked for; no patterns where no test is meant."""

    patterns: list[str]
    run: str
    affected: Affected | None = None


def answer_test(workspace: Workspace, request: Test, caller: Caller, tokens: int) -> Body:
    """Run the tests that a request means; the answer of `test`."""
    meant = whole_patterns(request) or workspace.reading(lambda s: select_tests(s, request))
    if meant.affected is not None and not meant.patterns:
        return nothing_to_run() | say_selection(meant)
    answer = run_tests(
        workspace.go,
        workspace.root,
        meant.patterns,
        run=meant.run,
        timeout_s=request.timeout_s,
        env=caller.env,
        gone=caller.gone,
        max_tokens=request.max_tokens or tokens,
    )
    if answer["failed"]:
        with suppress(AgoError):
            answer = workspace.reading(lambda snapshot: point_out(snapshot, answer))
    return answer | say_selection(meant)


def whole_patterns(request: Test) -> Selection | None:
    """What a request means that names no package and no change; None for any other."""
    if request.affected or request.since or (request.pkg and not request.pkg.endswith("...")):
        return None
    return Selection([request.pkg or "work"], request.run)


def select_tests(snapshot: Snapshot, request: Test) -> Selection:
    """The packages and names of the tests that a request means."""
    if not (request.affected or request.since):
        return Selection([resolve_package(snapshot, request.pkg)], request.run)
    found = list_affected(snapshot, request.since)
    within = resolve_package(snapshot, request.pkg) if request.pkg else ""
    try:
        wanted = re2.compile(request.run.partition("/")[0])
    except re2.error as error:
        raise Reject("bad_pattern", f"{request.run}: {error}") from error
    tests = [
        test
        for test in found.tests
        if run_kind(test.sym, True, False) != "Benchmark"
        and wanted.search(test.sym)
        and (not within or _home(snapshot, test.pkg) == within)
    ]
    names = "|".join(sorted({test.sym for test in tests}))
    patterns = sorted({_home(snapshot, test.pkg) for test in tests})
    run = f"^({names})$" if len(names) <= _LONGEST_PATTERN else ""
    return Selection(patterns, run, found._replace(tests=tests))


def _home(snapshot: Snapshot, pkg: str) -> str:
    """The package that a test is run with: external tests are their package's."""
    info = snapshot.package(pkg)
    return info.pkg if info else pkg


def say_selection(selection: Selection) -> Body:
    """What an answer tells of an affected run; a whole one where no test is meant."""
    if selection.affected is None:
        return {}
    affected = selection.affected
    said: Body = {"since": affected.since, "changes": affected.changes}
    said |= {"affected": len(affected.tests), "packages": len(selection.patterns)}
    return said


def nothing_to_run() -> Body:
    """The answer where no test reaches what changed."""
    return {
        "status": "ok",
        "pass": True,
        "passed": 0,
        "failed": 0,
        "skipped": 0,
        "warnings": [{"msg": "no test reaches what changed"}],
    }


def point_out(snapshot: Snapshot, body: Body) -> Body:
    """The answer with the places of what failed, and calls that show the first of it."""
    if not snapshot.typed:
        return body
    looked_at = 0
    tests: list[Json] = []
    for test in cast(list[Body], body.get("tests", [])):
        failed = test.get("pass") is False
        record = _find_test(snapshot, test) if failed else None
        told: Body = {"pos": record.pos} if record else {}
        if record and looked_at < _LOOKED_AT:
            looked_at += 1
            told["next"] = _calls(snapshot, record)
        tests.append(test | told)
    return {**body, "tests": tests} if tests else body


def _find_test(snapshot: Snapshot, test: Mapping[str, Json]) -> read.ObjectRecord | None:
    """The function of a test or subtest."""
    pkg, name = str(test["package"]), str(test.get("name", "")).partition("/")[0]
    found = [r for p in (pkg, f"{pkg}_test") for r in read.find_objects(snapshot.facts, p, name)]
    return found[0] if found else None


def _calls(snapshot: Snapshot, test: read.ObjectRecord) -> list[Json]:
    """The test as it stands, and the function that it seems to be of."""
    shown = [f"{test.pkg}.{test.sym}"]
    if tested := _tested(snapshot, test):
        shown.append(tested)
    return [{"tool": "query", "args": {"kind": "source", "sym": sym}} for sym in shown]


def _tested(snapshot: Snapshot, test: read.ObjectRecord) -> str:
    """The function of the workspace that a test calls and is named after, else the first."""
    db = snapshot.facts
    best, score = "", -1
    called = reach.used(db, NOTHING, reach.CALLING)([test.symbol])
    for symbol, _ in called[test.symbol]:
        pkg, sym = name_of(db, symbol)
        records = read.find_objects(db, pkg, sym)
        if not records or records[0].path.endswith("_test.go"):
            continue
        if records[0].kind not in ("func", "method"):
            continue
        last = sym.rpartition(".")[2]
        fits = len(last) if last.lower() in test.sym.lower() else 0
        if fits > score:
            best, score = f"{pkg}.{sym}", fits
    return best
