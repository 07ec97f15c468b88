"""Dispatch: whatever a call does, an answer comes out, with the exit code that belongs to it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from ago.daemon.budget import fit
from ago.daemon.caller import Caller
from ago.daemon.dispatch import Dispatcher
from ago.daemon.progress import Progress
from ago.daemon.resend import request_key
from ago.protocol.errors import AgoError, Bug, Busy
from ago.protocol.requests import Request
from grammar_ops.reject import Call, Finding, Json, Reject, Repair

REPAIR = Repair("it works", Call("view", {"sym": "G"}))


def dispatcher(outcome: Any, budget: int = 4000) -> Dispatcher:
    """One whose every tool has this outcome: a body, or an exception."""

    def handle(_request: Request, _caller: Caller) -> dict[str, Json]:
        if isinstance(outcome, Exception):
            raise outcome
        return dict(outcome)

    handlers = dict.fromkeys(("status", "view", "patch", "test"), handle)
    return Dispatcher(handlers, lambda *_: (REPAIR,), budget)


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        ({"status": "ok"}, "ok", 0),
        ({"status": "ok", "pass": True}, "ok", 0),
        ({"status": "ok", "pass": False}, "ok", 1),
        (Reject("unknown_tool"), "rejected", 2),
        (AgoError("no_go", "no Go"), "failed", 69),
        (Busy("slow", "too slow"), "failed", 75),
        (Bug("impossible"), "failed", 70),
        (ZeroDivisionError("oops"), "failed", 70),
    ],
)
def test_outcomes(outcome: Any, status: str, code: int) -> None:
    answer = dispatcher(outcome).answer("status", {})
    assert answer.body["status"] == status
    assert answer.exit_code == code


def test_a_refusal_offers_repairs_and_grows_firmer_each_time() -> None:
    refused = dispatcher(Reject("unknown_tool", "so it is"))
    first = refused.call("view", {"sym": "F", "pkg": "p"})
    assert "resent" not in first
    assert first["possible_repairs"] == [
        {"why": "it works", "call": {"tool": "view", "args": {"sym": "G"}}, "checked": True}
    ]
    # The order of the keys makes it no other request; another tool does.
    again = refused.call("view", {"pkg": "p", "sym": "F"})
    assert again["resent"] == 1
    assert "possible_repairs" in str(again["escalation"])
    assert "resent" not in refused.call("view", {"sym": "F"})


def test_without_repairs_there_is_no_escalation_either() -> None:
    refused = dispatcher(Reject("unknown_tool"))
    caller = Caller(env={"AGO_NO_REPAIRS": "1"})
    for _ in range(2):
        body = refused.answer("view", {}, caller).body
        assert "possible_repairs" not in body
        assert "resent" not in body


def test_another_outcome_forgets_the_refusals() -> None:
    outcomes: list[Any] = [Reject("unknown_tool"), None, Reject("unknown_tool")]

    def handle(_request: Request, _caller: Caller) -> dict[str, Json]:
        outcome = outcomes.pop(0)
        if outcome:
            raise outcome
        return {"status": "ok"}

    changing = Dispatcher({"status": handle}, lambda *_: (), 4000)
    assert [changing.call("status", {}).get("resent") for _ in range(3)] == [None, None, None]


def test_a_refusal_for_another_reason_is_no_repetition() -> None:
    """A test run that does not build, mended, may not build for something else."""
    finding = Finding("a.go", 1, 2, "undefined: x")
    outcomes = [
        Reject("unknown_tool", "FAIL 0.1s", (finding,)),
        Reject("unknown_tool", "FAIL 0.2s", (replace(finding, line=3),)),
        Reject("unknown_tool", "FAIL 0.2s", (replace(finding, msg="undefined: y"),)),
        Reject("unknown_tool", "waited 1 s"),
        Reject("unknown_tool", "waited 2 s"),
    ]

    def handle(_request: Request, _caller: Caller) -> dict[str, Json]:
        raise outcomes.pop(0)

    changing = Dispatcher({"status": handle}, lambda *_: (), 4000)
    resent = [changing.call("status", {}).get("resent") for _ in range(5)]
    assert resent == [None, 1, None, None, 1]


def test_unknown_tools_and_arguments_are_refused_with_what_is_near() -> None:
    some = dispatcher({"status": "ok"})
    tool = some.call("veiw", {})
    assert tool["reason"] == "unknown_tool"
    assert "view" in tool["did_you_mean"]  # type: ignore[operator]
    argument = some.call("view", {"symbol": "F"})
    assert argument["reason"] == "unknown_argument"
    assert argument["did_you_mean"] == ["sym"]
    sugar = some.call("rename", {"sym": "F", "too": "G"})
    assert sugar["did_you_mean"] == ["to"]


def test_a_nul_is_refused_wherever_it_stands() -> None:
    some = dispatcher({"status": "ok"})
    for args in ({"sym": "F\0"}, {"sym": "F", "ops": [{"op": "mod_tidy", "module": "\0"}]}):
        tool = "patch" if "ops" in args else "view"
        assert some.call(tool, args)["reason"] == "malformed_request"  # type: ignore[arg-type]


def test_sugar_is_a_patch_of_one_op() -> None:
    seen: list[Any] = []

    def handle(request: Any, _caller: Caller) -> dict[str, Json]:
        seen.append(request)
        return {"status": "accepted"}

    some = Dispatcher({"patch": handle}, lambda *_: (), 4000)
    some.call("rename", {"pkg": "p", "sym": "F", "to": "G", "dry_run": True, "generation": 3})
    (request,) = seen
    assert (request.pkg, request.sym, request.dry_run, request.generation) == ("p", "F", True, 3)
    assert request.ops == [{"op": "rename", "to": "G"}]


def test_what_was_normalised_is_said() -> None:
    body = dispatcher({"status": "ok"}).call("patch", {"op": "mod_tidy"})
    assert body["normalised"]


def test_one_mutation_at_a_time_and_reads_beside_it() -> None:
    inside, leave = threading.Event(), threading.Event()
    running: list[int] = []
    most: list[int] = []

    def write(_request: Request, _caller: Caller) -> dict[str, Json]:
        running.append(1)
        most.append(len(running))
        inside.set()
        leave.wait(10)
        running.pop()
        return {"status": "accepted"}

    handlers = {"patch": write, "status": lambda *_: {"status": "ok"}}
    both = Dispatcher(handlers, lambda *_: (), 4000)  # type: ignore[arg-type]
    writers = [threading.Thread(target=both.call, args=("patch", {"ops": []})) for _ in range(3)]
    for writer in writers:
        writer.start()
    assert inside.wait(10)
    assert both.call("status", {}) == {"status": "ok"}
    leave.set()
    for writer in writers:
        writer.join()
    assert max(most) == 1


def test_a_response_is_held_under_its_budget_and_says_so() -> None:
    body: dict[str, Json] = {
        "status": "ok",
        "count": 500,
        "refs": [{"pos": f"a/b.go:{n}:1"} for n in range(500)],
    }
    held = fit(body, 500)
    assert len(str(held)) < 2500
    assert (held["status"], held["count"], held["truncated"]) == ("ok", 500, True)
    assert len(held["refs"]) + held["refs_left_off"] == 500  # type: ignore[arg-type, operator]
    assert fit(body, 100_000) is body


def test_what_a_look_shows_is_held_under_the_budget_too() -> None:
    answer: dict[str, Json] = {"text": "".join(f"line {n}\n" for n in range(1000)), "count": 1}
    held = fit({"status": "rejected", "look": {"call": {"tool": "view"}, "answer": answer}}, 500)
    assert len(str(held)) < 2500
    assert held["look"]["answer"]["truncated"] is True  # type: ignore[index, call-overload]


def test_a_long_text_ends_at_a_line() -> None:
    text = "".join(f"line {n}\n" for n in range(1000))
    held = fit({"status": "ok", "diff": text}, 500)
    diff = str(held["diff"])
    assert text.startswith(diff + "\n")
    assert held["diff_lines_left_off"] == 1000 - diff.count("\n")


def test_requests_are_the_same_whatever_the_order_of_keys() -> None:
    assert request_key("view", {"a": 1, "b": 2}) == request_key("view", {"b": 2, "a": 1})
    assert request_key("view", {}) != request_key("refs", {})


def test_progress_reaches_those_who_wait_and_survives_a_broken_listener() -> None:
    progress, heard = Progress(), []

    def broken(*_: object) -> None:
        raise OSError("gone")

    with progress.listening(broken), progress.listening(lambda *step: heard.append(step)):
        progress("check", 1, 2)
    progress("check", 2, 2)
    assert heard == [("check", 1, 2)]
