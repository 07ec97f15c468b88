"""Watching ago work: `log --all`, `log --follow`, `log --html` and `stats`.

Invariant: reads the request log and the history as files; no workspace is loaded for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import click

from ago import wire
from ago.commit.history import History
from ago.daemon.caller import Answer
from ago.daemon.requestlog import Row, follow_rows, read_rows
from ago.fronts.cli.paint import Paint, wants_colour
from ago.fronts.cli.rows import show_row
from ago.fronts.cli.shell import (
    Shell,
    build_command,
    common_value,
    find_shell,
    respond,
)
from ago.fronts.stats import summarise
from ago.protocol.errors import EXIT_ENVIRONMENT, EXIT_OK, AgoError
from ago.protocol.responses import failed

PAGE = 50
FIRST = 10
"""Rows that --follow begins with."""


def extend_log(command: click.Command) -> click.Command:
    """The `log` command, which shows the accepted edits, with the views of all requests."""
    plain = command.callback
    assert plain is not None, "every tool has a callback"

    def run(*, all_requests: bool, follow: bool, html: bool, **given: Any) -> int:
        if html:
            return _page(click.get_current_context())
        if follow:
            return _follow(click.get_current_context())
        if all_requests:
            return _all(click.get_current_context(), given.get("offset") or 0)
        return cast(int, plain(**given))

    command.callback = run
    command.params[:0] = [
        click.Option(["--all", "all_requests"], is_flag=True,
                     help="every request: accepted, rejected, why, how long"),
        click.Option(["--follow"], is_flag=True, help="every request as it is answered"),
        click.Option(["--html"], is_flag=True,
                     help="one HTML page: history, diffs, refusals and what followed; "
                     "on a terminal, its address"),
    ]  # fmt: skip
    return command


def stats_command() -> click.Command:
    """`ago stats`."""

    def run(**_: object) -> int:
        context = click.get_current_context()
        state = find_shell(context).backend.state()
        if state is None:
            return _homeless(context, "stats")
        return respond(context, "stats", Answer(summarise(read_rows(state)), EXIT_OK))

    return build_command(
        "stats",
        run,
        short_help="Figures of the request log: refusals, resends, latencies, reply sizes.",
        help_text="Figures of the request log: refusals by reason, resends, latencies, "
        "reply sizes.\n\n\b\nExamples:\n  ago stats\n  ago stats --json",
    )


def _all(context: click.Context, offset: int) -> int:
    state = find_shell(context).backend.state()
    if state is None:
        return _homeless(context, "log")
    rows = read_rows(state)[::-1]
    page = rows[offset : offset + PAGE]
    body: dict[str, Any] = {"status": "ok", "count": len(rows), "requests": page}
    if offset + len(page) < len(rows):
        body["next_offset"] = offset + len(page)
    return respond(context, "log", Answer(body, EXIT_OK))


def _follow(context: click.Context) -> int:
    shell = find_shell(context)
    state = shell.backend.state()
    if state is None:
        return _homeless(context, "log")
    for row in follow_rows(state, FIRST, shell.terminal.gone):
        shell.terminal.out(_line(context, shell, row))
    return EXIT_OK


def _line(context: click.Context, shell: Shell, row: Row) -> bytes:
    if "o" not in shell.terminal.tty or common_value(context, "json"):
        return wire.dump_json(row) + b"\n"
    choice = str(common_value(context, "color") or "auto")
    paint = Paint(wants_colour(choice, shell.terminal.env, on_terminal=True))
    return f"{show_row(row, paint)}\n".encode()


def _page(context: click.Context) -> int:
    from ago.fronts.page import render_page

    shell = find_shell(context)
    state = shell.backend.state()
    if state is None:
        return _homeless(context, "log")
    root = shell.backend.root or Path()
    page = render_page(str(root), read_rows(state), _edits(state)).encode()
    if "o" in shell.terminal.tty:
        # Nobody reads HTML on a terminal.
        place = state / "log.html"
        place.write_bytes(page)
        page = f"{place.as_uri()}\n".encode()
    shell.terminal.out(page)
    return EXIT_OK


def _edits(state: Path) -> Iterable[Any]:
    """The newest edits with their files, newest first."""
    history = History(state)
    _, newest = history.page(0, 200)
    return [edit for head in newest if (edit := history.find(head.n)) is not None]


def _homeless(context: click.Context, tool: str) -> int:
    error = AgoError("no_workspace", "there is no Go module here", "name one with -C")
    return respond(context, tool, Answer(failed(error).wire(), EXIT_ENVIRONMENT))
