"""Commands that set ago up for a module and for agents: init and skill.

Invariant: they run in the process that was typed and load no workspace.
"""

from __future__ import annotations

from collections.abc import Callable

import click

from ago.daemon.caller import Answer
from ago.fronts.cli.shell import (
    base_folder,
    build_command,
    common_value,
    find_shell,
    respond,
)
from ago.protocol.errors import EXIT_OK, AgoError
from ago.protocol.responses import failed
from grammar_ops.reject import Json


def setup_commands() -> tuple[click.Command, ...]:
    """Both of them."""
    return _init(), _skill()


def _init() -> click.Command:
    def run(
        module: str | None, client: tuple[str, ...], command: str, hooks: bool,
        dry_run: bool, remove: bool, **_: object,
    ) -> int:  # fmt: skip
        context = click.get_current_context()
        backend = find_shell(context).backend
        return _answer(context, "init", lambda: backend.init(
            base_folder(context), module=module or "", clients=client, command=command,
            hooks=hooks, dry_run=dry_run, remove=remove,
        ))  # fmt: skip

    return build_command(
        "init",
        run,
        click.Argument(["module"], required=False),
        _client_option("wire this client, `all` for every one"),
        click.Option(["--command"], default="", metavar="CMD",
                     help="what clients start instead of this ago's absolute path"),
        click.Option(["--hooks"], is_flag=True,
                     help="also judge the edits of Claude Code's and Codex's own edit tools"),
        click.Option(["--dry-run"], is_flag=True, help="show the changes, write nothing"),
        click.Option(["--remove"], is_flag=True, help="take out what init has added"),
        short_help="Make a module, or tell the agents and editors of an existing one about ago.",
        help_text="Make a module, or tell the agents and editors of an existing one about ago.\n\n"
        "Outside of any module a new one is made in the folder (go.mod, main.go). Then the "
        "clients' configuration files get an entry that starts `ago mcp`, and AGENTS.md a block "
        "on the tools; what else is in these files stays. Clients are those whose traces are "
        "found, unless --client names them.\n\n\b\n"
        "Examples:\n  ago init\n  ago init example.com/shop\n"
        "  ago init --client claude --client codex --hooks\n  ago init --remove",
    )  # fmt: skip


def _skill() -> click.Command:
    def run(action: str | None, client: tuple[str, ...], project: bool, **_: object) -> int:
        context = click.get_current_context()
        shell = find_shell(context)
        if action is None:
            shell.terminal.out(f"{context.get_help()}\n".encode())
            return EXIT_OK
        if action == "print" and not common_value(context, "json"):
            shell.terminal.out(str(shell.backend.print_skill()["text"]).encode())
            return EXIT_OK
        if action == "print":
            return _answer(context, "skill", shell.backend.print_skill)
        return _answer(context, "skill", lambda: shell.backend.install_skill(
            base_folder(context), client, project=project
        ))  # fmt: skip

    return build_command(
        "skill",
        run,
        click.Argument(["action"], required=False, type=click.Choice(["install", "print"])),
        _client_option("install for this client, `all` for every one"),
        click.Option(["--project"], is_flag=True,
                     help="install into the workspace instead of the home folder"),
        short_help="Install or print the skill that tells an agent how to use ago.",
        help_text="Install or print the skill that tells an agent how to use ago.\n\n\b\n"
        "Examples:\n  ago skill install\n  ago skill install --client codex --project\n"
        "  ago skill print",
    )  # fmt: skip


def _client_option(about: str) -> click.Option:
    return click.Option(["--client"], multiple=True, metavar="NAME", help=about)


def _answer(context: click.Context, tool: str, ask: Callable[[], dict[str, Json]]) -> int:
    try:
        return respond(context, tool, Answer(ask(), EXIT_OK))
    except AgoError as error:
        return respond(context, tool, Answer(failed(error).wire(), error.exit_code))
