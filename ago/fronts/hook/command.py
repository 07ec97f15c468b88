"""`ago hook`: the command that agents run before and after their own edit tools.

Invariant: an edit is denied only for what the compiler says of it; whatever else goes wrong lets it
pass with a word, and the exit code is 0.
"""

from __future__ import annotations

import logging
from typing import Any

import click

from ago import wire
from ago.fronts.cli.shell import Shell, common_options, find_shell, help_option
from ago.fronts.hook.decision import decide, passed
from ago.fronts.hook.payload import inner_texts, is_go, read_texts
from ago.protocol.errors import EXIT_OK, AgoError
from grammar_ops.reject import Json, Reject

log = logging.getLogger(__name__)

_HELP = """Judge an edit that an agent is about to make with its own edit tool (pre-edit), or take
in one that it has made (post-edit).

The call comes as JSON on stdin, as Claude Code and Codex send it to their hooks; the decision goes
to stdout. Denied are text that does not parse and new errors in the declarations that the edit
changes; errors that it causes elsewhere are told and let through. What is no Go passes at once, and
so does all that can't be judged.

\b
Examples:
  ago hook pre-edit < call.json
  ago hook pre-edit --strict < call.json
  ago hook post-edit < call.json"""


def hook_command() -> click.Command:
    """The command."""

    def run(event: str, *, strict: bool, **_: object) -> int:
        shell = find_shell(click.get_current_context())
        try:
            answer = _answer(shell, event, _read_call(shell), strict=strict)
        except AgoError as error:
            answer = passed(error.message)
        except Reject as reject:
            answer = passed(f"{reject.reason}: {reject.detail}")
        except Exception as error:
            log.exception("a hook failed")
            answer = passed(f"{type(error).__name__}: {error}")
        if answer:
            shell.terminal.out(wire.dump_json(answer) + b"\n")
        return EXIT_OK

    return click.Command(
        "hook",
        params=[
            click.Argument(["event"], type=click.Choice(["pre-edit", "post-edit"])),
            click.Option(["--strict"], is_flag=True, help="deny errors elsewhere, too"),
            *common_options(),
            help_option(),
        ],
        short_help="Judge an edit of an agent's own edit tool before it is made.",
        help=_HELP,
        callback=run,
        add_help_option=False,
    )


def _read_call(shell: Shell) -> Any:
    """The call on stdin, None where that is no JSON."""
    try:
        return wire.load_json(shell.terminal.read_stdin())
    except ValueError:
        return None


def _answer(shell: Shell, event: str, payload: Any, *, strict: bool) -> dict[str, Json]:
    """The decision on a call, empty for nothing to say; AgoError, Reject where none can be had."""
    if payload is None:
        return passed("what came on stdin is no JSON")
    if not isinstance(payload, dict):
        return passed("the call is no JSON object")
    if event == "post-edit":
        shell.backend.refresh()
        return {}
    texts = read_texts(payload)
    if not any(map(is_go, texts)):
        return {}
    if shell.backend.root is None:
        return passed("the file is in no Go module")
    inner = dict(inner_texts(texts, shell.backend.root))
    return decide(shell.backend.propose(inner, strict), strict=strict) if inner else {}
