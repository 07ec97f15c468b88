"""The request log and what is made of it: rows without source text, figures, one page of HTML."""

from __future__ import annotations

import json
import os
import re
import stat
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs

from ago.commit.history import HistoryEdit, HistoryFile
from ago.daemon.requestlog import RequestLog, Row, follow_rows, log_file, older, read_rows
from ago.daemon.resend import request_key
from ago.daemon.terminal import Terminal
from ago.fronts.cli.paint import Paint
from ago.fronts.cli.rows import show_row
from ago.fronts.page import render_page
from ago.fronts.stats import find_chains, percentile, summarise
from ago.main import Host

SECRET = "password := secretSource()"
MEND: tuple[str, dict[str, Any]] = ("set_body", {"sym": "lib.F", "body": "return helper()"})
REFUSED: dict[str, Any] = {
    "status": "rejected", "reason": "patch_does_not_typecheck", "detail": SECRET,
    "diagnostics": [{"pos": "a.go:1:1", "msg": SECRET}],
    "possible_repairs": [{"why": SECRET, "call": {"tool": MEND[0], "args": MEND[1]}}],
}  # fmt: skip


def log_a_chain(log: RequestLog, whole: str = "") -> None:
    """Refused, sent again, mended as it was offered; a read and a failure beside it."""
    body = {"sym": "lib.F", "body": SECRET}
    log.note("set_body", body, REFUSED, 20.04, whole)
    log.note("view", {"sym": "lib.F"}, {"status": "ok", "text": SECRET}, 1, whole)
    log.note("set_body", body, {**REFUSED, "resent": 1}, 5, whole)
    log.note(MEND[0], MEND[1], {"status": "accepted", "edit": 7}, 30, whole)
    log.note("status", {}, {"status": "failed", "key": "no_go"}, 2, whole)
    log.note("rename", {"pkg": "lib", "sym": "F", "to": "G"}, {**REFUSED, "reason": "x"}, 3, whole)
    log.flush()


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    log = RequestLog(tmp_path)
    log_a_chain(log)
    log.close()
    return read_rows(tmp_path)


def test_rows_hold_what_happened_and_no_source(rows: list[Row], tmp_path: Path) -> None:
    first, *_, last = rows
    assert first["op"] == "set_body" and first["sym"] == "lib.F" and first["ms"] == 20.0
    assert first["outcome"] == "rejected" and first["reason"] == "patch_does_not_typecheck"
    assert first["repairs"] == 1 and first["offers"] == [request_key(*MEND)]
    assert first["req_sha"] == rows[2]["req_sha"] and rows[2]["resent"] == 1
    assert rows[3]["edit"] == 7 and rows[4]["key"] == "no_go" and last["pkg"] == "lib"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", str(first["ts"]))
    assert SECRET not in log_file(tmp_path).read_text()
    assert stat.S_IMODE(log_file(tmp_path).stat().st_mode) == 0o600


def test_a_named_file_gets_the_requests_whole(tmp_path: Path) -> None:
    log = RequestLog(tmp_path / "state")
    log_a_chain(log, str(tmp_path / "whole.jsonl"))
    log.close()
    whole = [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text().splitlines()]
    assert whole[0]["args"] == {"sym": "lib.F", "body": SECRET}
    assert len(whole) == len(read_rows(tmp_path / "state"))


def test_the_log_never_outgrows_two_files(tmp_path: Path) -> None:
    log = RequestLog(tmp_path, limit=2000)
    for _ in range(100):
        log.note("view", {"sym": "lib.F"}, {"status": "ok"}, 1, "")
    log.close()
    file = log_file(tmp_path)
    assert file.stat().st_size <= 2000 and older(file).stat().st_size <= 2000
    assert len(list(tmp_path.iterdir())) == 2
    assert 2 < len(read_rows(tmp_path)) < 30


def test_a_log_that_cannot_be_written_harms_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = RequestLog(tmp_path / "file" / "state")
    log_a_chain(log)
    log.close()
    (tmp_path / "requests.jsonl").write_bytes(b'{"op":"view"}\nnot json\n{"torn')
    assert read_rows(tmp_path) == [{"op": "view"}]


def test_following_shows_the_last_rows_and_then_new_ones(tmp_path: Path) -> None:
    log = RequestLog(tmp_path)
    log_a_chain(log)
    gone = threading.Event()
    following = follow_rows(tmp_path, 2, gone)
    assert [next(following)["op"] for _ in range(2)] == ["status", "rename"]
    later = threading.Timer(0.05, log.note, ("undo", {}, {"status": "accepted"}, 1, ""))
    later.start()
    assert next(following)["op"] == "undo"
    gone.set()
    assert list(following) == []
    log.close()


def test_figures(rows: list[Row]) -> None:
    chains = find_chains(rows)
    assert [(len(c.refused), c.took_repair) for c in chains] == [(2, True), (1, False)]
    body: Any = summarise(rows)
    assert body["outcomes"] == {"rejected": 3, "ok": 1, "accepted": 1, "failed": 1}
    assert body["rejections"][0] == {
        "reason": "patch_does_not_typecheck", "count": 2, "resent": 1, "followed_by_an_edit": 2,
    }  # fmt: skip
    assert body["repairs"] == {"offered": 3, "taken": 1, "mended_otherwise": 0}
    tool = body["tools"][0]
    assert (tool["tool"], tool["count"], tool["ms"]["p50"]) == ("set_body", 3, 20.0)
    assert [percentile([4, 1, 3, 2], share) for share in (0.5, 0.75, 0.9, 0.99)] == [2, 3, 4, 4]
    assert summarise([])["requests"] == 0


def test_a_row_as_a_line(rows: list[Row]) -> None:
    line = show_row(rows[2], Paint(False))
    assert "rejected set_body" in line and "lib.F  patch_does_not_typecheck  sent 2 times" in line
    assert "\x1b" in show_row(rows[2], Paint(True))


class _Tags(HTMLParser):
    """Collects tags and addresses; complains about what is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag and where it leads."""
        self.tags.append(tag)
        self.addresses += [str(v) for k, v in attrs if k in ("href", "src", "action")]


def test_the_page_holds_everything_and_loads_nothing(rows: list[Row]) -> None:
    before, after = (
        b"package a\n\nvar X = 1\n",
        b"package a\n\nvar X = `<script>alert(1)</script>`\n",
    )
    file = HistoryFile("a<b>.go", before, after, 0o644)
    edit = HistoryEdit(
        7, 1.0, "set <b>X</b>", "{}", 0, 0, "confirmed", "", ("a<b>.go",), (file,)
    )  # fmt: skip
    page = render_page("/w/<i>", rows, [edit])
    seen = _Tags()
    seen.feed(page)
    assert not {"script", "i", "img", "link"} & set(seen.tags)
    assert seen.addresses == ["#edit-7"] and "id=edit-7" in page
    assert "default-src 'none'" in page
    assert "&lt;script&gt;alert(1)" in page and "patch_does_not_typecheck" in page
    assert "by a repair as it was offered" in page
    assert "No edit has been refused" in render_page("/w", [], [])


def test_a_session_logs_what_it_is_asked(ago_dirs: Dirs, tmp_path: Path) -> None:
    """No workspace has to be loaded for a refusal of a malformed request, nor to look at it."""
    (tmp_path / "go.mod").write_text("module m\n")
    env = ago_dirs.env() | {"AGO_LOG_REQUESTS": ""}
    host = Host(tmp_path, env)
    shown: list[bytes] = []

    def ago(*argv: str, tty: str = "") -> bytes:
        shown.clear()
        terminal = Terminal(str(tmp_path), env, shown.append, shown.append, lambda: b"", tty=tty)
        host.run(list(argv), terminal)
        return b"".join(shown)

    try:
        ago("rename", "lib.F", "G", "--generation", "-1")
        ago("log")
        body = json.loads(ago("log", "--all"))
        assert [row["op"] for row in body["requests"]] == ["log", "rename"]
        assert json.loads(ago("stats"))["requests"] == 2
        assert b"<!doctype html>" in ago("log", "--html")
        address = ago("log", "--html", tty="o").decode().strip()
        assert "<!doctype html>" in Path(address.removeprefix("file://")).read_text()
        assert os.environ.get("AGO_LOG_REQUESTS") is None
    finally:
        host.close()
