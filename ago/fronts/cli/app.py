"""The `ago` command line: from words to a tool call, from its response to text and an exit code.

Invariant: whoever runs it (the daemon for a client, a process by itself), nothing raises out of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import click

from ago.daemon.caller import Answer
from ago.daemon.terminal import Terminal
from ago.fronts.cli.forms import FORMS, GROUPS, tool_of
from ago.fronts.cli.local import local_commands
from ago.fronts.cli.places import localise
from ago.fronts.cli.setup import setup_commands
from ago.fronts.cli.shell import (
    Backend,
    Shell,
    ask,
    base_folder,
    build_command,
    common_options,
    find_shell,
    help_option,
    respond,
    version_option,
)
from ago.fronts.cli.sugar import Form, build_params, collect_args
from ago.fronts.cli.watching import extend_log, stats_command
from ago.fronts.hook.command import hook_command
from ago.protocol.errors import EXIT_OK, EXIT_REJECTED, EXIT_USAGE
from ago.protocol.lenient import parse_envelope
from ago.protocol.responses import rejected
from grammar_ops.reject import Json, Reject

WIDTHS = (40, 100)
"""Narrowest and widest help text."""


def run_cli(argv: list[str], terminal: Terminal, backend: Backend) -> int:
    """Run a command line and return its exit code."""
    root = build_root()
    shell = Shell(terminal, backend)
    width = max(WIDTHS[0], min(terminal.columns, WIDTHS[1]))
    try:
        with root.make_context("ago", list(argv), obj=shell, terminal_width=width) as context:
            code = root.invoke(context)
            return code if isinstance(code, int) else EXIT_OK
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        context_of = getattr(error, "ctx", None)
        usage = f"{context_of.get_usage()}\n" if context_of else ""
        terminal.err(f"{usage}ago: {error.format_message()}\n".encode("utf-8", "replace"))
        return EXIT_USAGE


@cache
def build_root() -> click.Group:
    """The command tree; it holds no state, so one serves every request."""
    root = _Root(
        "ago",
        help="Typed questions about a Go workspace, and edits that the Go compiler has accepted "
        "before they reach the disk. Everything else is refused with data: what broke, where, "
        "and the next call that would work.",
        params=[*common_options(), version_option(), help_option()],
        callback=_greet,
        invoke_without_command=True,
        add_help_option=False,
    )
    for command in (
        *map(_tool_command, FORMS),
        *local_commands(),
        *setup_commands(),
        hook_command(),
    ):
        root.add_command(command)
    extend_log(root.commands["log"])
    root.add_command(stats_command())
    return root


class _Root(click.Group):
    """The group, with its commands under titles."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(name) for _, names in GROUPS for name in names)
        for title, names in GROUPS:
            limit = formatter.width - width - 6
            rows = [(n.ljust(width), self.commands[n].get_short_help_str(limit)) for n in names]
            with formatter.section(title):
                formatter.write_dl(rows)


def _greet(**_: object) -> int:
    """`ago` alone shows what there is."""
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        find_shell(context).terminal.out(f"{context.get_help()}\n".encode())
    return EXIT_OK


def _tool_command(form: Form) -> click.Command:
    tool = tool_of(form)
    examples = "\n".join(f"  {example}" for example in form.examples)
    return build_command(
        form.command,
        partial(_call, form),
        *build_params(form, tool),
        help_text=f"{tool.summary}\n\n\b\nExamples:\n{examples}",
        short_help=tool.summary,
    )


def _call(form: Form, **given: Any) -> int:
    context = click.get_current_context()
    shell = find_shell(context)
    try:
        args, notes = _read_args(form, shell.terminal, given)
    except Reject as reject:
        return respond(context, form.tool, Answer(rejected(reject).wire(), EXIT_REJECTED))
    if form.kind:
        args["kind"] = form.kind
    here = localise(args, base_folder(context), shell.backend.root)
    answer = ask(shell, form.tool, here)
    if notes:
        said = answer.body.get("normalised")
        answer.body["normalised"] = [*notes, *(said if isinstance(said, list) else [])]
    asked = str(args.get("kind", "")).replace("-", "_") if form.tool == "query" else form.tool
    return respond(context, asked, answer)


def _read_args(
    form: Form, terminal: Terminal, given: Mapping[str, Any]
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """The tool's arguments, and what had to be mended in their JSON. Reject malformed_request."""
    text = _read_text(terminal, given)
    if form.tool != "patch":
        return collect_args(form, given if text is None else {**given, form.text: text}), ()
    if text is None:
        raise click.UsageError("give the patch with -f FILE, -f - or --body JSON")
    args = collect_args(form, given)
    envelope, notes = parse_envelope(text)
    # An envelope's keys win over flags.
    return {**args, **envelope}, notes


def _read_text(terminal: Terminal, given: Mapping[str, Any]) -> str | None:
    """What --body or --body-file gives, None without both."""
    name: str | None = given.get("text_file")
    if name is None:
        body: str | None = given.get("text_itself")
        return body
    try:
        data = terminal.read_stdin() if name == "-" else Path(terminal.cwd, name).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise click.UsageError(f"can't read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"can't read {name}: it is not UTF-8") from None
