"""The command line by itself: words in, tool call and exit code out, and how answers read."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest

from ago.catalog.schema import tool_schema, tools
from ago.daemon.caller import Answer, Caller
from ago.daemon.terminal import Terminal
from ago.fronts.cli.app import build_root, run_cli
from ago.fronts.cli.forms import FORMS, GROUPS, tool_of
from ago.fronts.cli.paint import Paint, wants_colour
from ago.fronts.cli.places import localise
from ago.fronts.cli.render import render
from ago.fronts.cli.shell import Backend
from ago.patch.propose import Proposed


@dataclass
class Typed:
    """A terminal that remembers, and a backend that repeats what it was asked."""

    answer: Answer = field(default_factory=lambda: Answer({"status": "ok"}, 0))
    stdin: bytes = b""
    tty: str = ""
    cwd: Path = Path("/")
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    out: bytes = b""
    err: bytes = b""

    def run(self, *argv: str) -> int:
        def tell_out(data: bytes) -> None:
            self.out += data

        def tell_err(data: bytes) -> None:
            self.err += data

        def ask(tool: str, args: dict[str, Any], _: Caller) -> Answer:
            self.calls.append((tool, args))
            return self.answer

        terminal = Terminal(
            cwd=str(self.cwd), env={}, out=tell_out, err=tell_err,
            read_stdin=lambda: self.stdin, columns=90, tty=self.tty,
        )  # fmt: skip

        async def no_talk(*_: object) -> None:
            raise AssertionError("no command line talks this protocol")

        backend = Backend(
            root=None, answer=ask, serve=lambda _: 0,
            stop=lambda _: {"status": "ok"}, doctor=lambda *_: {"status": "ok", "healthy": True},
            state=lambda: None, init=self.note("init"), install_skill=self.note("skill"),
            print_skill=lambda: {}, propose=lambda *_: Proposed(), refresh=lambda: None,
            talk=no_talk,
            serve_editor=lambda: 0,
        )  # fmt: skip
        return run_cli(list(argv), terminal, backend)

    def note(self, name: str) -> Callable[..., dict[str, Any]]:
        """A stand-in that keeps what it was called with."""

        def stand_in(*_: object, **given: Any) -> dict[str, Any]:
            self.calls.append((name, given))
            return {"status": "ok"}

        return stand_in

    @property
    def call(self) -> tuple[str, dict[str, Any]]:
        assert len(self.calls) == 1, self.err
        return self.calls[0]


@pytest.mark.parametrize(
    ("line", "tool", "args"),
    [
        ("status", "status", {}),
        ("-C /x status", "status", {}),
        ("status -C /x", "status", {}),
        ("search doub", "search", {"q": "doub"}),
        ("search -q doub -o 50", "search", {"q": "doub", "offset": 50}),
        ("search -s doub", "search", {"q": "doub"}),
        ("inspect -p a/b -s T", "inspect", {"pkg": "a/b", "sym": "T"}),
        ("view a/b.T.M --slots", "view", {"sym": "a/b.T.M", "slots": True}),
        ("view ./a T", "view", {"pkg": "./a", "sym": "T"}),
        ("query refs ./a T", "query", {"kind": "refs", "pkg": "./a", "sym": "T"}),
        ("rename ./a Old New", "rename", {"pkg": "./a", "sym": "Old", "to": "New"}),
        ("refs b.T --max-tokens 99", "refs", {"sym": "b.T", "max_tokens": 99}),
        ("query refs b.T", "query", {"kind": "refs", "sym": "b.T"}),
        ("query -k search -q x", "query", {"kind": "search", "q": "x"}),
        ("rename b.Old New", "rename", {"sym": "b.Old", "to": "New"}),
        ("rename -p b -s Old -t New", "rename", {"pkg": "b", "sym": "Old", "to": "New"}),
        ("rename -s b.Old New", "rename", {"sym": "b.Old", "to": "New"}),
        ("set-body b.F -f -", "set_body", {"sym": "b.F", "body": "return 1"}),
        ("set-body b.F --body x()", "set_body", {"sym": "b.F", "body": "x()"}),
        (
            "add-param b.F ctx context.Context -d nil",
            "add_param",
            {"sym": "b.F", "name": "ctx", "type": "context.Context", "default": "nil"},
        ),
        ("upsert ./b -f -", "upsert_decl", {"pkg": "./b", "text": "return 1"}),
        (
            "test ./... -r TestX --timeout-s 5",
            "test",
            {"pkg": "./...", "run": "TestX", "timeout_s": 5},
        ),
        ("show 3", "show", {"edit": 3}),
        ("undo", "undo", {}),
        ("undo 3 --dry-run", "undo", {"edit": 3, "dry_run": True}),
        ("help add_return", "help", {"name": "add_return"}),
        (
            "rename b.F G --dry-run -g 7 --allow-rebind --allow-generated --gate toolchain",
            "rename",
            {
                "sym": "b.F", "to": "G", "dry_run": True, "generation": 7, "allow_rebind": True,
                "allow_generated": True, "gate": "toolchain",
            },
        ),
    ],
)  # fmt: skip
def test_words_become_a_call(line: str, tool: str, args: dict[str, Any]) -> None:
    typed = Typed(stdin=b"return 1")
    assert typed.run(*line.split()) == 0, typed.err
    assert typed.call == (tool, args)


@pytest.mark.parametrize(
    ("text", "ops"),
    [
        ('[{"op": "mod_tidy"}]', [{"op": "mod_tidy"}]),
        ('{"ops": [{"op": "mod_tidy"}]}', [{"op": "mod_tidy"}]),
        ('{"op": "mod_tidy"}', {"op": "mod_tidy"}),
    ],
)
def test_a_patch_is_an_envelope_a_list_or_one_op(text: str, ops: Any) -> None:
    typed = Typed(stdin=text.encode())
    assert typed.run("patch", "b.F", "-f", "-") == 0
    assert typed.call == ("patch", {"sym": "b.F", "ops": ops})


def test_an_envelopes_keys_win_over_flags() -> None:
    typed = Typed(stdin=b'{"sym": "G", "ops": []}')
    typed.run("patch", "-p", "b", "-s", "F", "--dry-run", "-f", "-")
    assert typed.call[1] == {"pkg": "b", "sym": "G", "ops": [], "dry_run": True}


def test_nearly_json_is_mended_and_named() -> None:
    typed = Typed(stdin=b'{"ops": [{"op": "mod_tidy"},],}')
    assert typed.run("patch", "-f", "-") == 0
    assert json.loads(typed.out)["normalised"] == ["trailing comma dropped"]


def test_no_json_at_all_is_refused() -> None:
    typed = Typed(stdin=b"add a return, please")
    assert typed.run("patch", "-f", "-") == 2
    assert json.loads(typed.out)["reason"] == "malformed_request"
    assert typed.calls == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("serch x", "No such command 'serch'"),
        ("rename b.F", "missing TO"),
        ("view a b c", "unexpected argument 'b'"),
        ("set-body b.F", "missing BODY"),
        ("set-body b.F -f /nowhere/at/all", "can't read /nowhere/at/all"),
        ("patch", "give the patch with"),
        ("show three", "EDIT must be a number"),
        ("status --nonsense", "No such option"),
        ("rename b.F G --gate none", "is not one of"),
        ("completion powershell", "is not one of"),
    ],
)
def test_a_line_that_makes_no_sense_ends_with_64(line: str, said: str) -> None:
    typed = Typed()
    assert typed.run(*line.split()) == 64
    assert said in typed.err.decode()
    assert typed.out == b""
    assert typed.calls == []


def test_the_exit_code_is_the_answers() -> None:
    for code in (0, 1, 2, 69, 70, 75):
        assert Typed(Answer({"status": "ok"}, code)).run("status") == code


def test_a_terminal_shows_the_look_of_a_refusal_that_came_again() -> None:
    look: dict[str, Any] = {
        "call": {"tool": "query", "args": {"kind": "outline", "pkg": "lib"}},
        "answer": {
            "pkg": "m/lib",
            "count": 2,
            "decls": [
                {"decl": "func Double(n int) int", "pos": "lib/lib.go:6:6"},
                {"decl": "func Half(n int) int", "pos": "lib/lib.go:8:6"},
            ],
            "truncated": True,
            "next_offset": 2,
        },
    }
    body: dict[str, Any] = {"status": "rejected", "reason": "no_such", "escalation": "no"}
    shown = Typed(Answer({**body, "look": look}, 2), tty="oe")
    shown.run("view", "x", "--color", "never")
    lines = shown.out.decode().splitlines()
    assert lines[:3] == ["rejected no_such", "no", "look ago outline --pkg lib"]
    assert lines[5] == "    lib/lib.go:8:6  func Half(n int) int"
    assert lines[6] == "  more with --offset 2"


def test_answers_are_compact_json_but_for_a_terminal() -> None:
    body: dict[str, Any] = {"status": "rejected", "reason": "no_such", "detail": "it"}
    piped = Typed(Answer(body, 2))
    piped.run("view", "x")
    assert piped.out == b'{"status":"rejected","reason":"no_such","detail":"it"}\n'
    shown = Typed(Answer(body, 2), tty="oe")
    shown.run("view", "x")
    assert b"\x1b[31;1mrejected\x1b[0m no_such" in shown.out
    plain = Typed(Answer(body, 2), tty="oe")
    plain.run("view", "x", "--color", "never")
    assert plain.out == b"rejected no_such\n  it\n"
    forced = Typed(Answer(body, 2), tty="oe")
    forced.run("--json", "view", "x")
    assert forced.out == piped.out


def test_colour_is_the_users_choice() -> None:
    assert wants_colour("auto", {}, on_terminal=True)
    assert not wants_colour("auto", {"NO_COLOR": "1"}, on_terminal=True)
    assert not wants_colour("auto", {"TERM": "dumb"}, on_terminal=True)
    assert wants_colour("always", {"NO_COLOR": "1"}, on_terminal=True)


def test_line_ends_of_windows_are_no_control_characters() -> None:
    answer = Answer({"status": "ok", "root": "/w", "diff": "--- a\r\n+b\x1b[2J\r\n"}, 0)
    typed = Typed(answer, tty="oe")
    typed.run("show", "1", "--color", "never")
    shown = typed.out.decode()
    assert "\r" not in shown and "+b\ufffd[2J\n" in shown


def test_init_is_asked_as_it_was_typed() -> None:
    typed = Typed(tty="oe")
    assert typed.run("init", "shop", "--client", "codex", "--client", "zed", "--dry-run") == 0
    name, wish = typed.call
    assert (name, wish["module"], wish["clients"]) == ("init", "shop", ("codex", "zed"))
    assert wish["dry_run"] and not wish["remove"] and not wish["hooks"]
    assert "nothing to change" in typed.out.decode()


def test_root_help_shows_every_command_in_its_group() -> None:
    typed = Typed()
    assert typed.run("--help") == 0
    shown = typed.out.decode()
    for title, names in GROUPS:
        assert f"{title}:" in shown
        assert all(f"  {name} " in shown for name in names)
    assert {n for _, names in GROUPS for n in names} == set(build_root().commands)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.command)
def test_every_command_explains_itself(form: Any) -> None:
    typed = Typed()
    assert typed.run(form.command, "-h") == 0
    shown = typed.out.decode()
    assert "Examples:" in shown
    for name, info in tool_of(form).fields.items():
        if name not in ("overlay", "ops") and name != form.text:
            flag = f"--{name.replace('_', '-')}"
            assert flag in shown or flag.removesuffix("s") in shown, info


def test_every_tool_but_those_of_the_daemon_has_a_command() -> None:
    assert {form.tool for form in FORMS} == set(tools())


@pytest.mark.parametrize("name", sorted(tools()))
def test_schemas_are_closed_objects(name: str) -> None:
    schema = tool_schema(name)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(tools()[name].fields)
    assert "title" not in schema


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completion_scripts_know_every_command(shell: str) -> None:
    typed = Typed()
    assert typed.run("completion", shell) == 0
    script = typed.out.decode()
    for name, command in build_root().commands.items():
        assert name in script
        for param in command.params:
            if isinstance(param, click.Option):
                long = max(param.opts, key=len).lstrip("-")
                assert re.search(rf"(--|-l ){long}\b", script), f"{name} --{long}"
    assert not re.search(r"\$\((env|ago)", script), "Tab starts no process"


def test_bash_completes_by_its_script() -> None:
    typed = Typed()
    typed.run("completion", "bash")
    lines = (["re"], ["query", "ref"], ["-C", "/tmp", "query", "--ki"], ["query", "-k", "ref"],
             ["help", "add_pa"], ["--color", "a"], ["skill", ""])  # fmt: skip
    asked = "".join(
        f"COMP_WORDS=(ago {' '.join(map(shlex.quote, words))}) COMP_CWORD={len(words)}\n"
        '_ago; echo "${COMPREPLY[*]}"\n'
        for words in lines
    )
    done = subprocess.run(
        ["bash", "--norc"], input=typed.out.decode() + asked, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "refs rename", "refs", "--kind", "refs", "add_param", "auto always", "install print",
    ]  # fmt: skip
    assert done.stderr == ""


def test_places_are_told_from_the_root(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "lib").mkdir()
    (root / "lib" / "a.go").write_text("")
    inside = root / "lib"
    assert localise({"pkg": "."}, inside, root) == {"pkg": "./lib"}
    assert localise({"pkg": ".."}, inside, root) == {"pkg": "."}
    assert localise({"pkg": str(inside)}, Path("/"), root) == {"pkg": "./lib"}
    assert localise({"sym": "a.go:3:1"}, inside, root) == {"sym": "lib/a.go:3:1"}
    unchanged = {"pkg": "demo/lib", "sym": "other.go:3"}
    assert localise(dict(unchanged), inside, root) == unchanged
    assert localise({"pkg": "../.."}, inside, root) == {"pkg": "../.."}


def test_a_workspaces_text_cannot_steer_the_terminal() -> None:
    body: dict[str, Any] = {"status": "ok", "text": "func F() { \x1b]0;owned\x07 }\n"}
    shown = render("view", body, Paint(on=True))
    assert "\x1b]" not in shown
    assert "\x07" not in shown


def test_a_diff_and_handles_are_coloured() -> None:
    paint = Paint(on=True)
    assert paint.diff("-a\n+b") == "\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m"
    assert paint.view("n1,n2: \tx()") == "\x1b[36mn1,n2:\x1b[0m \tx()"
    assert Paint(on=False).view("n1: \tx()") == "n1: \tx()"
