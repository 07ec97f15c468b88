"""What every command shares: its surroundings, the common options, how a response is written.

Invariant: a command writes through the Terminal of its Shell alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import click

import ago
from ago import wire
from ago.daemon.caller import Answer, Caller
from ago.daemon.channel import Channel
from ago.daemon.progress import Listener
from ago.daemon.terminal import Terminal
from ago.fronts.cli.paint import Paint, printable, wants_colour
from ago.fronts.cli.render import render
from ago.patch.propose import Proposed
from grammar_ops.reject import Json

PROGRESS_S = 0.1
CLEAR_LINE = "\r\x1b[K"


@dataclass(frozen=True)
class Backend:
    """What commands need beyond their terminal; handed in by the composition root."""

    root: Path | None
    """The workspace, None where there is none."""
    answer: Callable[[str, dict[str, Json], Caller], Answer]
    serve: Callable[[Path], int]
    stop: Callable[[Path], dict[str, Json]]
    doctor: Callable[[Caller, bool], dict[str, Json]]
    state: Callable[[], Path | None]
    """The folder of the workspace's history and logs, all of them written."""
    propose: Callable[[Mapping[str, bytes | None], bool], Proposed]
    """What texts of files would bring, were they written, and whether every build is to be asked;
    AgoError where nobody can say."""
    refresh: Callable[[], None]
    """Take in what was edited outside."""
    init: Callable[..., dict[str, Json]]
    install_skill: Callable[..., dict[str, Json]]
    print_skill: Callable[[], dict[str, Json]]
    talk: Callable[[Channel, Executor], Coroutine[None, None, None]]
    serve_editor: Callable[[], int]


@dataclass(frozen=True)
class Shell:
    """One running command line."""

    terminal: Terminal
    backend: Backend

    @property
    def caller(self) -> Caller:
        """Who asks."""
        return Caller(self.terminal.env, self.terminal.gone)


def find_shell(context: click.Context) -> Shell:
    """The shell that run_cli put into the context."""
    shell = context.find_object(Shell)
    assert shell is not None, "only run_cli makes contexts"
    return shell


def common_options() -> list[click.Parameter]:
    """Options that may stand before or after any command."""
    return [
        click.Option(["-C", "--dir"], metavar="DIR", help="a folder inside the workspace"),
        click.Option(["--json"], is_flag=True, default=None, help="JSON on a terminal too"),
        click.Option(["--color"], type=click.Choice(["auto", "always", "never"]), help="colours"),
    ]


def build_command(
    name: str,
    run: Callable[..., int],
    *params: click.Parameter,
    help_text: str,
    short_help: str | None = None,
) -> click.Command:
    """A command with its own parameters, and those that all commands have."""
    return click.Command(
        name,
        params=[*params, *common_options(), help_option()],
        short_help=short_help,
        help=help_text,
        callback=run,
        add_help_option=False,
    )


def common_value(context: click.Context, name: str) -> str | bool | None:
    """A common option's value, the one after the command first."""
    here = context.params.get(name)
    return here if here is not None else context.find_root().params.get(name)


def base_folder(context: click.Context) -> Path:
    """The folder that relative places are meant from: -C, else where the command was typed."""
    return Path(find_shell(context).terminal.cwd, str(common_value(context, "dir") or "."))


def help_option() -> click.Option:
    """-h and --help, written through the terminal."""
    return _telling(["-h", "--help"], "show this text", lambda context: context.get_help())


def version_option() -> click.Option:
    """--version, written through the terminal."""
    return _telling(["--version"], "show the version", lambda _: f"ago {ago.__version__}")


def _telling(names: list[str], about: str, text: Callable[[click.Context], str]) -> click.Option:
    def tell(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            find_shell(context).terminal.out(f"{text(context)}\n".encode())
            context.exit()

    return click.Option(
        names, is_flag=True, is_eager=True, expose_value=False, callback=tell, help=about
    )


def respond(context: click.Context, tool: str, answer: Answer) -> int:
    """Write a response as this client wants it; its exit code."""
    terminal = find_shell(context).terminal
    if "o" not in terminal.tty or common_value(context, "json"):
        terminal.out(wire.dump_json(answer.body) + b"\n")
        return answer.exit_code
    choice = str(common_value(context, "color") or "auto")
    paint = Paint(wants_colour(choice, terminal.env, on_terminal=True))
    terminal.out(render(tool, answer.body, paint).encode("utf-8", "replace") + b"\n")
    return answer.exit_code


def ask(shell: Shell, tool: str, args: dict[str, Json]) -> Answer:
    """Call a tool, showing the progress of what it waits for on the client's stderr."""
    if "e" not in shell.terminal.tty:
        return shell.backend.answer(tool, args, shell.caller)
    shown: list[float] = []
    caller = replace(shell.caller, hear=_progress_line(shell.terminal, shown))
    answer = shell.backend.answer(tool, args, caller)
    if shown:
        shell.terminal.err(CLEAR_LINE.encode())
    return answer


def _progress_line(terminal: Terminal, shown: list[float]) -> Listener:
    """One line that is written over, at most ten times a second."""

    def show(phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if shown and now - shown[-1] < PROGRESS_S:
            return
        shown[:] = [now]
        count = f" {done}/{total}" if total else ""
        terminal.err(f"{CLEAR_LINE}{printable(phase)}{count}".encode())

    return show
