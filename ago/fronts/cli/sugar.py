"""Command lines from models: a tool's arguments as click options, and back.

Invariant: flags are derived from the fields; only short letters and positional forms are said here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from ago.catalog.schema import Tool
from grammar_ops.reject import Json

SHORT = {
    "pkg": "p", "sym": "s", "q": "q", "offset": "o", "kind": "k", "to": "t", "name": "n",
    "type": "T", "default": "d", "run": "r", "generation": "g",
}  # fmt: skip


@dataclass(frozen=True)
class Form:
    """How a command is typed: its tool, and which arguments may stand without a flag, in order."""

    command: str
    tool: str
    positional: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """Arguments without which the command line makes no sense."""
    text: str = ""
    """The argument that --body-file reads (a file, or - for stdin)."""
    examples: tuple[str, ...] = ()
    kind: str = ""
    """The kind of question that the command asks, for the tool `query`."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(flag declaration, argument): flags beyond those of the fields."""


def build_params(form: Form, tool: Tool) -> list[click.Parameter]:
    """The click parameters of a command."""
    params: list[click.Parameter] = [
        _option(name, info) for name, info in tool.fields.items() if _is_flag(name, info, form)
    ]
    if form.text:
        about = f"read {form.text} from FILE, or from stdin with -"
        params.append(click.Option(["--body-file", "-f", "text_file"], metavar="FILE", help=about))
        about = f"{form.text} itself"
        params.append(click.Option(["--body", "text_itself"], metavar="TEXT", help=about))
    for declaration, argument in form.aliases:
        about = f"same as --{argument}"
        params.append(click.Option([*declaration.split("/"), f"alias_{argument}"], help=about))
    if form.positional:
        metavar = " ".join(f"[{name.upper()}]" for name in form.positional)
        metavar = metavar.replace("[SYM]", "[[PKG] SYM]")
        params.append(click.Argument(["words"], nargs=-1, metavar=metavar))
    return params


def _is_flag(name: str, info: FieldInfo, form: Form) -> bool:
    """Whether a field is a flag: plain ones are, the text argument and structures are not."""
    return name != form.text and get_origin(info.annotation) is not dict


def _option(name: str, info: FieldInfo) -> click.Option:
    flags = [f"--{name.replace('_', '-')}"]
    if name in SHORT:
        flags.append(f"-{SHORT[name]}")
    kind = _plain(info.annotation)
    about = info.description or ""
    if kind is bool and info.default:
        return click.Option([f"{flags[0]}/--no-{flags[0][2:]}", name], default=None, help=about)
    if kind is bool:
        if info.default is True:
            flags = [f"{flags[0]}/--no-{flags[0][2:]}"]
        return click.Option([*flags, name], is_flag=True, default=None, help=about)
    if get_origin(info.annotation) is list:
        flags[0] = flags[0].removesuffix("s")
        return click.Option([*flags, name], multiple=True, metavar="PATH", help=about)
    choices = [c for c in get_args(info.annotation) if isinstance(c, str) and c]
    if choices and all(isinstance(c, str) for c in get_args(info.annotation)):
        return click.Option([*flags, name], type=click.Choice(choices), help=about)
    if kind is int:
        return click.Option([*flags, name], type=int, metavar="N", help=about)
    return click.Option([*flags, name], metavar=name.upper(), help=about)


def _plain(annotation: Any) -> Any:
    """The type without `| None`."""
    inner = [a for a in get_args(annotation) if a is not type(None)]
    return inner[0] if len(inner) == 1 and not isinstance(inner[0], str) else annotation


def collect_args(form: Form, given: Mapping[str, Any]) -> dict[str, Json]:
    """The tool's arguments from what click parsed; raises click.UsageError.

    Words without a flag fill the arguments that no flag gave, in the form's order.
    """
    flags = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in given.items()
        if value not in (None, ()) and key not in _NOT_ARGS
    }
    for _, argument in form.aliases:
        value = flags.pop(f"alias_{argument}", None)
        if value is not None:
            flags.setdefault(argument, value)
    free = [name for name in form.positional if name not in flags]
    words: Sequence[str] = given.get("words") or ()
    if len(words) == len(free) + 1 and "sym" in free and "pkg" not in flags:
        free.insert(free.index("sym"), "pkg")  # one word more: the address in two
    if len(words) > len(free):
        raise click.UsageError(f"unexpected argument {words[len(free)]!r}")
    flags |= {name: _typed(name, word) for name, word in zip(free, words, strict=False)}
    missing = [name for name in form.required if name not in flags]
    if missing:
        raise click.UsageError(f"missing {' and '.join(name.upper() for name in missing)}")
    return flags


_NOT_ARGS = frozenset({"words", "text_itself", "text_file", "dir", "json", "color"})
_NUMBERS = frozenset({"edit", "offset"})


def _typed(name: str, word: str) -> Json:
    if name not in _NUMBERS:
        return word
    if not word.isdecimal():
        raise click.UsageError(f"{name.upper()} must be a number, not {word!r}")
    return int(word)
