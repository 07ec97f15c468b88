"""Two agents and an editor on one workspace at once: nothing lost, nothing torn, nothing stale.

Each edit of a function says the generation that it was planned on. Along the history of a function
every accepted edit must have been planned on the outcome of the one before it: what was stale was
refused, and what was refused was stale.
"""

from __future__ import annotations

import json
import random
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dirs import Dirs
from editor_double import Editor, editor_on
from workspaces import write

from ago import wire
from ago.daemon import place

pytestmark = [pytest.mark.go, pytest.mark.daemon]

SHARED = [f"F{number}" for number in range(4)]
"""Functions that all three change; the agents change Disk too, the editor Typed."""
A = "package p\n" + "".join(f"\nfunc {name}() int {{\n\treturn 0\n}}\n" for name in SHARED)
B = "package p\n\nfunc R() int { return 1 }\n\nfunc UseR() int { return R() + F0() }\n"
U = "package p\n\nfunc Typed() int {\n\treturn 0\n}\n\nfunc Disk() int {\n\treturn 0\n}\n"
FILES = {"go.mod": "module example.test/p\n\ngo 1.24\n", "a.go": A, "b.go": B, "u.go": U}
WHOLE = re.compile(re.escape(A).replace("return\\ 0", r"return\ \d+"))

Call = Callable[[str, dict[str, Any]], dict[str, Any]]


class Sent(NamedTuple):
    """One edit that was asked for: of what, planned on which generation, with what answer."""

    sym: str
    generation: int
    value: int
    answer: dict[str, Any]


@pytest.fixture
def editor(tmp_path: Path, ago_dirs: Dirs) -> Iterator[Editor]:
    with editor_on(write(tmp_path / "p", FILES).resolve(), ago_dirs, tmp_path) as found:
        yield found


def daemon_call(editor: Editor) -> Call:
    """Tool calls over the daemon's socket."""

    def call(tool: str, args: dict[str, Any]) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(120)
            connection.connect(place.socket_path(str(editor.root), editor.env))
            request = {"tool": tool, "args": args}
            connection.sendall(wire.pack_frame(wire.CALL, wire.dump_json(request)))
            frame = wire.read_frame(connection.recv)
            assert frame is not None
            return dict(json.loads(frame[1]))

    return call


def command_call(editor: Editor) -> Call:
    """Tool calls by the command."""

    def call(tool: str, args: dict[str, Any]) -> dict[str, Any]:
        if tool == "view":
            return dict(json.loads(editor.cli("view", args["sym"]).stdout))
        planned = ["--generation", str(args["generation"])]
        words = ["set-body", args["sym"], "--body", args["body"], *planned]
        return dict(json.loads(editor.cli(*words).stdout))

    return call


def editor_call(editor: Editor) -> Call:
    """Tool calls of the editor, with what it has not saved."""
    nowhere = {"line": 0, "character": 0}

    def call(tool: str, args: dict[str, Any]) -> dict[str, Any]:
        given = {"uri": editor.uri("a.go"), "tool": tool, "args": args}
        if tool == "view":
            return dict(editor.command("ago.call", given))
        return dict(
            editor.command("ago.run", given | {"range": {"start": nowhere, "end": nowhere}})
        )

    return call


def work(call: Call, syms: list[str], count: int, seed: int, sent: list[Sent]) -> None:
    """Change bodies at random; every third time by what was seen some edits ago."""
    chance, held = random.Random(seed), dict[str, int]()
    for number in range(count):
        sym = chance.choice(syms)
        if sym not in held or chance.random() > 0.3:
            held[sym] = call("view", {"sym": f"p.{sym}"})["generation"]
        value = seed * 10_000 + number
        args = {"sym": f"p.{sym}", "body": f"return {value}", "generation": held[sym]}
        sent.append(Sent(sym, held[sym], value, call("set_body", args)))


def edit_in_editor(editor: Editor, count: int, sent: list[Sent]) -> None:
    """The editor's part: shared functions, renames, and a file that stays unsaved."""
    call, name = editor_call(editor), "R"
    for number in range(count):
        if number % 4 == 0:
            editor.rename("b.go", f"{name}()", f"R{number}")
            name = f"R{number}"
            editor.until(lambda name=name: f"func {name}()" in editor.buffers["b.go"].text)
        elif number % 4 == 1:
            body = {"sym": "p.Typed", "body": f"return {number}"}
            assert call("set_body", body)["status"] == "accepted"
        else:
            work(call, SHARED, 1, 90 + number, sent)


def check_history(sent: list[Sent]) -> dict[str, int]:
    """Along each function's edits nothing is stale; the value that each ends with."""
    accepted = [one for one in sent if one.answer["status"] == "accepted"]
    last: dict[str, Sent] = {}
    for one in sorted(accepted, key=lambda one: one.answer["edit"]):
        if before := last.get(one.sym):
            assert one.generation == before.answer["generation"], (before, one)
        last[one.sym] = one
    taken = {(one.sym, one.generation) for one in accepted}
    for one in sent:
        if one.answer["status"] != "accepted":
            assert one.answer["reason"] == "stale_generation", one
            assert (one.sym, one.generation) in taken, f"refused, and not stale: {one}"
    return {sym: one.value for sym, one in last.items()}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("count", [48, pytest.param(500, marks=pytest.mark.long)])
def test_two_agents_and_an_editor_lose_nothing(editor: Editor, count: int):
    assert editor.cli("status").returncode == 0
    for path in ("a.go", "b.go", "u.go"):
        editor.open(path)
    editor.type("u.go", U.replace("package p\n", "package p\n\n// Typed, not saved.\n"))
    sent: list[Sent] = []
    done, torn = threading.Event(), list[str]()

    def read() -> None:
        while not done.wait(0.001):
            if not WHOLE.fullmatch(text := (editor.root / "a.go").read_text()):
                torn.append(text)

    share = count // 3
    jobs: list[Callable[[], object]] = [
        lambda: work(daemon_call(editor), [*SHARED, "Disk"], share, 1, sent),
        lambda: work(command_call(editor), [*SHARED, "Disk"], share, 2, sent),
        lambda: edit_in_editor(editor, share, sent),
    ]
    failures: list[BaseException] = []

    def guarded(job: Callable[[], object]) -> None:
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    reader = threading.Thread(target=read)
    for thread in (reader, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    reader.join()
    assert not failures, failures
    assert not torn, torn[0]
    values = check_history(sent)
    disk = (editor.root / "a.go").read_text()
    written = disk + (editor.root / "u.go").read_text()
    for sym, value in values.items():
        assert f"func {sym}() int {{\n\treturn {value}\n}}" in written
    assert any(one.answer["status"] != "accepted" for one in sent), "some were stale"
    check_editor(editor, disk)


def check_editor(editor: Editor, disk: str) -> None:
    """The editor shows what the disk has; its unsaved file has both its own and the others'."""
    editor.until(lambda: editor.buffers["a.go"].text == disk)
    last = (editor.root / "u.go").read_text().partition("func Disk()")[2]
    editor.until(lambda: editor.buffers["u.go"].text.endswith(last))
    text = editor.buffers["u.go"].text
    assert "// Typed, not saved." in text and "func Typed() int {\n\treturn 0" not in text
    assert "func Typed() int {\n\treturn 0" in (editor.root / "u.go").read_text()
    editor.save("u.go")
    assert "diagnostics" not in json.loads(editor.cli("status").stdout)
