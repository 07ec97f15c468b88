"""Idempotency keys: an edit that is sent again is answered again, and made once."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from sessions import opened
from workspaces import copy_demo

from ago.daemon.caller import Caller
from ago.daemon.dispatch import Dispatcher
from ago.protocol.requests import Request
from grammar_ops.reject import Json


def editor(known: dict[str, int] | None = None) -> tuple[Dispatcher, list[Any]]:
    """A dispatcher that accepts every patch, and the patches it has seen."""
    made: list[Any] = []

    def handle(request: Request, _caller: Caller) -> dict[str, Json]:
        made.append(request)
        dry = getattr(request, "dry_run", False)
        return {"status": "ok"} if dry else {"status": "accepted", "edit": len(made)}

    find = (known or {}).get
    return Dispatcher({"patch": handle}, lambda *_: (), 4000, find_edit=lambda k: find(k, 0)), made


def patch(key: str = "", **more: Any) -> dict[str, Any]:
    """A patch under a key."""
    return {"sym": "F", "ops": [{"op": "mod_tidy"}], "idempotency_key": key, **more}


def test_the_same_key_is_the_same_edit() -> None:
    some, made = editor()
    assert some.call("patch", patch("k"))["edit"] == 1
    assert some.call("patch", patch("k")) == {"status": "accepted", "edit": 1, "repeated": True}
    assert some.call("patch", patch("k2"))["edit"] == 2
    assert some.call("patch", patch())["edit"] == 3
    assert len(made) == 3


def test_a_key_of_another_edit_is_refused() -> None:
    some, _ = editor()
    some.call("patch", patch("k"))
    refused = some.call("patch", patch("k", sym="G"))
    assert (refused["status"], refused["reason"]) == ("rejected", "key_reused")


def test_a_dry_run_is_no_edit_of_the_key() -> None:
    some, made = editor()
    some.call("patch", patch("k", dry_run=True))
    assert some.call("patch", patch("k"))["edit"] == 2
    assert len(made) == 2


def test_an_earlier_process_is_remembered_by_the_history() -> None:
    some, made = editor({"k": 7})
    assert some.call("patch", patch("k")) == {"status": "accepted", "edit": 7, "repeated": True}
    assert made == []


def test_a_callers_own_key_counts_when_it_asks_again() -> None:
    some, made = editor()
    for _ in range(2):  # two requests that happen to have one number
        some.answer("patch", patch(), Caller(key="relay:1"))
    assert len(made) == 2
    body = some.answer("patch", patch(), Caller(key="relay:1", again=True)).body
    assert body["repeated"] is True
    assert len(made) == 2


def test_an_edit_that_nobody_waits_for_is_not_begun() -> None:
    some, made = editor()
    gone = threading.Event()
    gone.set()
    assert some.answer("patch", patch(), Caller(gone=gone)).body["key"] == "cancelled"
    assert made == []


@pytest.mark.go
def test_the_history_keeps_the_key(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    args = {"sym": "lib.Double", "body": "return v + v", "idempotency_key": "k"}
    with opened(root, ago_dirs) as call:
        first = call("set_body", args)
    with opened(root, ago_dirs) as call:
        assert call("set_body", args) == {
            "status": "accepted",
            "edit": first["edit"],
            "repeated": True,
        }
        assert call("undo", {"idempotency_key": "u"})["undo_of"] == first["edit"]
        assert call("undo", {"idempotency_key": "u"})["repeated"] is True
