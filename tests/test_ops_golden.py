"""Every golden case of an op, and what holds for every edit whatever its op.

The numbers in the names of the checks are those of the list in CONTRIBUTING.md.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, cast

import golden
import modproxy
import pytest
from dirs import Dirs
from golden import Case
from gotools import new_findings, unformatted
from sessions import ask_mcp, opened, read_facts, run_ago

from ago.fronts.mcp.names import listed_calls
from ago.protocol.errors import EXIT_OK, EXIT_REJECTED
from grammar_ops.catalog import CATALOG
from grammar_ops.op import Op, StatementOp

Json = dict[str, Any]
CASES = golden.load_cases("ops") + golden.load_cases("patch")
SAMPLED = [case for case in CASES if golden.is_sampled(case)]
BY_MCP = SAMPLED[::4]
"""Those that an MCP client sends instead of a command line."""

pytestmark = pytest.mark.go

# Where the examples of a family are at home, unless the op says otherwise.
OWN_WARNINGS = (
    "effects_moved", "initialiser_gone", "linker_name", "names_folder", "reads_folder",
    "tag_repeated", "wire_name",
)  # fmt: skip
"""Codes of warnings that go vet does not give."""
STATEMENT_HOME = {"pkg": "demo/lib", "sym": "UseHelper"}
DECLARATION_HOME = {"pkg": "demo/lib"}


@pytest.fixture(autouse=True)
def _modules(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, ago_dirs: Dirs
) -> None:
    """Cases with the flag `modules=proxy` ask a module proxy, cases with `modules=off` none."""
    params = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    wanted = params["case"].flags.get("modules", "") if "case" in params else ""
    if wanted:
        modproxy.use(monkeypatch, ago_dirs)
    if wanted == "off":
        monkeypatch.setenv("GOPROXY", "off")


def request_of(case: Case) -> tuple[str, Json]:
    """(tool, arguments) of a case; an example's request is filled from the op's class."""
    if case.path.stem != "example":
        return case.request["tool"], case.request["args"]
    assert not case.request, f"{case.id}: the request of an example is the class's"
    op: type[Op] = CATALOG[case.path.parent.name]
    home = STATEMENT_HOME if issubclass(op, StatementOp) else DECLARATION_HOME
    return "patch", {**home, "ops": json.loads(json.dumps(op.example))}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case, tmp_path: Path, ago_dirs: Dirs, request: pytest.FixtureRequest) -> None:
    tool, args = request_of(case)
    root = golden.lay_out(case, tmp_path)
    before = golden.read_tree(root)
    with opened(root, ago_dirs) as call:
        state = seen(call, args)
        dry = call(tool, {**args, "dry_run": True})
        assert golden.read_tree(root) == before, "2: a dry run touched the disk"
        assert seen(call, args) == state, "2: a dry run moved a generation"
        reference: Json = {}
        if case.flags["checker"] == "both":
            reference = call(tool, {**args, "dry_run": True, "gate": "toolchain"})
        answer = call(tool, args)
        after = golden.read_tree(root)
        assert str(tmp_path) not in json.dumps(answer), "an answer names no place outside the root"
        if request.config.getoption("--update"):
            flip = request.config.getoption("--allow-flip")
            golden.rewrite(case, before, after, answer, allow_flip=flip)
            case = golden.load_case(case.path)
        check_answer(case, answer, before, after)
        check_same_verdict(dry, answer, "2: the dry run")
        if reference:
            check_same_verdict(reference, answer, "10: the toolchain")
        if answer["status"] == "accepted":
            check_accepted(case, root, tmp_path / "before", before, reference)
        else:
            assert after == before, "1: a rejection touched the disk"
            assert seen(call, args) == state, "1: a rejection moved a generation"
            check_repairs(call, answer)
            check_resend(call(tool, args), answer)


def seen(call: Any, args: Json) -> list[Json]:
    """What a reader sees of the targets of a request: counts, text and generation."""
    ops = args.get("ops", [])
    named = [op for op in ops if isinstance(op, dict)] if isinstance(ops, list) else []
    targets = {
        (op.get("pkg", args.get("pkg")), op.get("sym", args.get("sym"))) for op in [args, *named]
    }
    wanted = sorted((pkg, sym) for pkg, sym in targets if pkg and sym)
    # Views tell of other builds once these are loaded, and load the modules that they name.
    call("status", {"wait": True})
    views = [call("view", {"pkg": pkg, "sym": sym}) for pkg, sym in wanted]
    for view in views:
        # What a refused view offers when it is asked for again moves nothing.
        for key in ("resent", "escalation", "look", "possible_repairs"):
            view.pop(key, None)
    return [call("status", {"wait": True}), *views]


def check_answer(
    case: Case, answer: Json, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    """The answer and the whole tree, so that no byte outside the edit has changed (5)."""
    assert golden.stable(answer) == case.response, answer
    want = golden.expected_tree(case, before)
    assert sorted(after) == sorted(want), "files that appeared or are missing"
    for name in want:
        assert after[name].decode() == want[name].decode(), f"{name} is not what the case wants"


def check_same_verdict(other: Json, answer: Json, who: str) -> None:
    """Another way of asking came to the same verdict."""
    verdict = "accepted" if other["status"] == "ok" else other["status"]
    assert verdict == answer["status"], f"{who} says {other}"
    assert other.get("would", verdict) == verdict
    if verdict == "rejected" and who.startswith("2"):
        assert other["reason"] == answer["reason"], f"{who} says {other}"


def check_accepted(
    case: Case, root: Path, old: Path, before: dict[str, bytes], reference: Json
) -> None:
    """4: canonical files stay so, the go command finds no new fault, its findings are warnings."""
    for name, text in before.items():
        (old / name).parent.mkdir(parents=True, exist_ok=True)
        (old / name).write_bytes(text)
    sources = {op["to"]: op["from"] for op in request_of(case)[1]["ops"] if "from" in op}
    loose = unformatted(old)
    assert {sources.get(name, name) for name in unformatted(root)} <= loose, "4: not in gofmt form"
    findings = new_findings(old, root)
    errors = [finding for finding in findings if finding.compile_error]
    assert not errors, "4: the go command refuses what was accepted"
    if reference:
        warnings = reference.get("warnings", [])
        warned = [w["msg"] for w in warnings if w.get("code") not in OWN_WARNINGS]
        assert sorted(f.message for f in findings) == sorted(warned), "4: findings are warnings"


def check_repairs(call: Any, answer: Json) -> None:
    """6: each repair is a whole call that works."""
    for repair in answer.get("possible_repairs", []):
        tool, args = repair["call"]["tool"], dict(repair["call"]["args"])
        if tool not in ("view", "query", "help", "status", "search", "inspect", "refs", "log"):
            args["dry_run"] = True
        result = call(tool, args)
        if repair.get("checked", True):
            assert result["status"] == "ok", f"6: {repair} came to {result}"
        else:
            assert result.get("reason") != answer["reason"], f"6: {repair} repeats the rejection"


def check_resend(again: Json, answer: Json) -> None:
    """7: the same request once more is the same refusal, and says so louder."""
    assert again["reason"] == answer["reason"]
    assert again.get("resent", 0) >= 1 and again.get("escalation"), "7: no escalation"


def command_of(tool: str, args: Json) -> list[str]:
    """The command line of a request: a patch is read from stdin, other tools have flags."""
    if tool == "patch":
        return [tool, "-f", "-", "--json"]
    return [tool, "--json", *(f"--{name}={value}" for name, value in args.items())]


@pytest.mark.daemon
@pytest.mark.parametrize("case", SAMPLED, ids=lambda case: case.id)
def test_same_everywhere(case: Case, tmp_path: Path, ago_dirs: Dirs) -> None:
    """3 and 8: a session and, on a fresh copy, the command or the MCP client through the daemon
    answer with the same bytes; 9: the facts after a commit are those that loading the new tree from
    nothing gives."""
    tool, args = request_of(case)
    here, there = golden.lay_out(case, tmp_path / "here"), golden.lay_out(case, tmp_path / "there")
    with opened(here, ago_dirs) as call:
        expected = call(tool, args)
        call("status", {"wait": True})
    try:
        if case in BY_MCP:
            printed = ask_mcp(there, tool, args, ago_dirs)
            expected = cast(Json, listed_calls(expected))
        else:
            done = run_ago(there, command_of(tool, args), ago_dirs, json.dumps(args))
            printed = json.loads(done.stdout)
            refused = expected["status"] == "rejected"
            assert done.returncode == (EXIT_REJECTED if refused else EXIT_OK)
    finally:
        run_ago(there, ["daemon", "stop"], ago_dirs)
    assert json.dumps(untimed(printed)) == json.dumps(untimed(expected)), "3, 8"
    assert golden.read_tree(there) == golden.read_tree(here), "3, 8"
    if expected["status"] == "accepted":
        check_facts(here, tmp_path / "fresh" / "module", args, ago_dirs)


def check_facts(root: Path, copy: Path, args: Json, dirs: Dirs) -> None:
    """9: an edited tree and a copy that was loaded from nothing have the same facts."""
    shutil.copytree(root, copy)
    with opened(copy, dirs) as call:
        seen(call, args)  # a module that is loaded when it is addressed is addressed here too
        call("status", {"wait": True})
    edited, fresh = read_facts(root, dirs), read_facts(copy, dirs)
    for table in fresh:
        assert edited[table] == fresh[table], f"9: {table} differs"


def untimed(answer: Json) -> Json:
    """An answer without what speaks of the clock and of the background."""
    kept = {key: value for key, value in answer.items() if key not in ("load_ms", "ms")}
    if "proof" in kept:
        kept["proof"] = {k: v for k, v in kept["proof"].items() if k != "confirmation"}
    return kept


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_op_has_its_cases(name: str) -> None:
    """An example, an accepted edge, a rejection, and a case for each declared ceiling."""
    op = CATALOG[name]
    cases = [case for case in CASES if case.path.parent.name == name]
    stems = {case.path.stem for case in cases}
    reasons = {case.response.get("reason") for case in cases}
    assert "example" in stems or op.not_hermetic
    assert any(case.accepted and case.path.stem != "example" for case in cases)
    assert any(not case.accepted for case in cases)
    assert {ceiling.id for ceiling in op.ceilings} <= reasons, "a ceiling without a case"
    assert set(op.reasons) <= reasons | raised_elsewhere(name), "a reason without a case"


def raised_elsewhere(name: str) -> set[str]:
    """Reasons that cases of other ops show."""
    return {case.response.get("reason", "") for case in CASES if case.path.parent.name != name}
