"""Commands about ago itself: daemon, mcp, doctor, completion; run in the process that was typed.

Invariant: none of them asks the workspace anything.
"""

from __future__ import annotations

import click

from ago.daemon.caller import Answer
from ago.fronts.cli.completion import SHELLS, render_completion
from ago.fronts.cli.shell import (
    base_folder,
    build_command,
    find_shell,
    respond,
)
from ago.fronts.mcp.local import serve_stdio
from ago.protocol.errors import EXIT_ENVIRONMENT, EXIT_OK, AgoError
from ago.protocol.responses import failed


def local_commands() -> tuple[click.Command, ...]:
    """All of them."""
    return _daemon(), _lsp(), _mcp(), _doctor(), _completion()


def _daemon() -> click.Command:
    def run(action: str | None, **_: object) -> int:
        context = click.get_current_context()
        backend = find_shell(context).backend
        try:
            if action is None:
                return backend.serve(base_folder(context))
            return respond(context, "daemon", Answer(backend.stop(base_folder(context)), EXIT_OK))
        except AgoError as error:
            return respond(context, "daemon", Answer(failed(error).wire(), error.exit_code))

    action = click.Argument(["action"], required=False, type=click.Choice(["stop"]))
    return build_command(
        "daemon",
        run,
        action,
        short_help="Serve this workspace in the foreground, or stop the daemon that does.",
        help_text="Serve this workspace in the foreground, or stop the daemon that does.\n\n"
        "A daemon is started when one is needed and ends when nobody has asked it anything "
        "for a while (`idle_minutes`).",
    )


def _mcp() -> click.Command:
    def run(**_: object) -> int:
        context = click.get_current_context()
        shell = find_shell(context)
        folder = str(base_folder(context))
        return serve_stdio(shell.backend.talk, folder, shell.terminal.env)

    return build_command(
        "mcp",
        run,
        short_help="Serve a client of the Model Context Protocol on stdin and stdout.",
        help_text="Serve a client of the Model Context Protocol on stdin and stdout.\n\n"
        "The workspace is that of -C or of the current folder; its daemon does the work.\n\n\b\n"
        "Examples:\n  claude mcp add ago -- ago mcp\n  codex mcp add ago -- ago mcp",
    )


def _doctor() -> click.Command:
    def run(*, download: bool, **_: object) -> int:
        context = click.get_current_context()
        shell = find_shell(context)
        body = shell.backend.doctor(shell.caller, download)
        code = EXIT_OK if body.get("healthy") else EXIT_ENVIRONMENT
        return respond(context, "doctor", Answer(body, code))

    download = click.Option(
        ["--download"], is_flag=True, help="First download the modules that go.mod requires."
    )
    return build_command(
        "doctor",
        run,
        download,
        short_help="Look at everything that ago needs, and say how to mend what is missing.",
        help_text="Look at everything that ago needs here, and say how to mend what is missing.",
    )


def _lsp() -> click.Command:
    def run(**_: object) -> int:
        return find_shell(click.get_current_context()).backend.serve_editor()

    return build_command(
        "lsp",
        run,
        short_help="Serve an editor over stdin and stdout (LSP), beside gopls.",
        help_text="Serve an editor over stdin and stdout in the Language Server Protocol, beside "
        "gopls: rename, code actions, references, symbols, and open files that follow the edits "
        "of agents. Editors start this; docs/editors.md says how.",
    )


def _completion() -> click.Command:
    def run(shell: str, **_: object) -> int:
        context = click.get_current_context()
        root = context.find_root().command
        assert isinstance(root, click.Group), "the root holds the commands"
        find_shell(context).terminal.out(render_completion(shell, root).encode())
        return EXIT_OK

    return build_command(
        "completion",
        run,
        click.Argument(["shell"], type=click.Choice(tuple(SHELLS))),
        help_text="Print a completion script for a shell.\n\n\b\nExamples:\n"
        "  ago completion bash > ~/.local/share/bash-completion/completions/ago\n"
        "  ago completion zsh > ~/.zfunc/_ago\n"
        "  ago completion fish > ~/.config/fish/completions/ago.fish",
    )
