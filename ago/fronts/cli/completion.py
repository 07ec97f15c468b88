"""Completion scripts for shells: whole tables of commands, options and words, made beforehand.

Invariant: a script asks nobody; pressing Tab starts no process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import click

from ago.catalog.schema import tools
from ago.queries.catalog import QUERIES
from grammar_ops.catalog import CATALOG

Value = tuple[str, ...] | Literal["", "file", "folder", "text"]


@dataclass(frozen=True)
class Flag:
    """One option: its spellings, what it is for, and what may follow ("" = nothing)."""

    names: tuple[str, ...]
    about: str
    value: Value


@dataclass(frozen=True)
class Entry:
    """One command: what it is for, its options, the words that may be its first argument."""

    name: str
    about: str
    flags: tuple[Flag, ...]
    words: tuple[str, ...]


def render_completion(shell: str, root: click.Group) -> str:
    """The script for a shell."""
    entries = [_entry(name, command) for name, command in sorted(root.commands.items())]
    common = tuple(_flag(p) for p in root.params if isinstance(p, click.Option))
    return SHELLS[shell](entries, common)


def _entry(name: str, command: click.Command) -> Entry:
    flags = tuple(_flag(p) for p in command.params if isinstance(p, click.Option))
    about = command.get_short_help_str(200).rstrip(".")
    return Entry(name, about, flags, _words(name, command))


def _words(name: str, command: click.Command) -> tuple[str, ...]:
    if name == "query":
        return tuple(sorted(QUERIES))
    if name == "help":
        return tuple(sorted({*CATALOG, *tools(), *QUERIES}))
    for param in command.params:
        if isinstance(param, click.Argument) and isinstance(param.type, click.Choice):
            return tuple(map(str, param.type.choices))
    return ()


def _flag(option: click.Option) -> Flag:
    about = (option.help or "").replace("\n", " ")
    value: Value = "text"
    if option.is_flag:
        value = ""
    elif isinstance(option.type, click.Choice):
        value = tuple(map(str, option.type.choices))
    elif option.name == "kind":
        value = tuple(sorted(QUERIES))
    elif option.metavar in ("FILE", "DIR"):
        value = "file" if option.metavar == "FILE" else "folder"
    return Flag(tuple(option.opts), about, value)


def _bash(entries: list[Entry], common: tuple[Flag, ...]) -> str:
    valued = "|".join(name for flag in common if flag.value for name in flag.names)
    names = " ".join(entry.name for entry in entries)
    lines = [
        "# bash completion of ago; pressing Tab starts no process.",
        "_ago() {",
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}",
        "    local command= flags= words= i",
        "    for ((i = 1; i < COMP_CWORD; i++)); do",
        "        case ${COMP_WORDS[i]} in",
        f"            {valued}) ((i++)) ;;",
        "            -*) ;;",
        "            *) command=${COMP_WORDS[i]}; break ;;",
        "        esac",
        "    done",
        "    case $command,$prev in",
        *_bash_values("*", common),
    ]
    for entry in entries:
        lines += _bash_values(entry.name, [f for f in entry.flags if f not in common])
    lines += ["    esac", "    case $command in", f"        '') words='{names}'",
              f"            flags='{_flag_names(common)}' ;;"]  # fmt: skip
    for entry in entries:
        lines.append(f"        {entry.name}) words='{' '.join(entry.words)}'")
        lines.append(f"            flags='{_flag_names(entry.flags)}' ;;")
    lines += [
        "    esac",
        "    [[ $cur == -* ]] && words=$flags",
        '    COMPREPLY=($(compgen -W "$words" -- "$cur"))',
        "}",
        "complete -o bashdefault -o default -F _ago ago",
    ]
    return "\n".join(lines) + "\n"


def _bash_values(command: str, flags: tuple[Flag, ...] | list[Flag]) -> list[str]:
    """What follows the options that take a value: the options of one answer on one line."""
    answers: dict[str, list[str]] = {}
    for flag in flags:
        if flag.value:
            answers.setdefault(_compgen(flag.value), []).extend(flag.names)
    return [
        f"        {'|'.join(f'{command},{name}' for name in names)}) "
        f'COMPREPLY=($(compgen {answer} -- "$cur")); return ;;'
        for answer, names in answers.items()
    ]


def _compgen(value: Value) -> str:
    if isinstance(value, tuple):
        return f"-W '{' '.join(value)}'"
    return {"file": "-f", "folder": "-d"}.get(value, "-W ''")


def _flag_names(flags: tuple[Flag, ...]) -> str:
    return " ".join(name for flag in flags for name in flag.names)


def _zsh(entries: list[Entry], common: tuple[Flag, ...]) -> str:
    lines = [
        "#compdef ago",
        "# zsh completion of ago; pressing Tab starts no process.",
        "_ago() {",
        "    local curcontext=$curcontext state line",
        "    local -a commands",
        "    commands=(",
        *(f"        {_quoted(f'{e.name}:{e.about}')}" for e in entries),
        "    )",
        "    _arguments -C \\",
        *(f"        {_zsh_flag(flag)} \\" for flag in common),
        "        '1: :->command' '*:: :->words'",
        "    case $state in",
        "        command) _describe -t commands command commands ;;",
        "        words)",
        "            case $words[1] in",
    ]
    for entry in entries:
        lines.append(f"                {entry.name})")
        lines.append("                    _arguments \\")
        lines += [f"                        {_zsh_flag(flag)} \\" for flag in entry.flags]
        words = f"({' '.join(entry.words)})" if entry.words else "_files"
        lines.append(f"                        '*: :{words}' ;;")
    lines += ["            esac ;;", "    esac", "}", '_ago "$@"']
    return "\n".join(lines) + "\n"


def _zsh_flag(flag: Flag) -> str:
    value = {"": "", "file": ":file:_files", "folder": ":folder:_directories", "text": ":value: "}
    tail = (
        f":value:({' '.join(flag.value)})" if isinstance(flag.value, tuple) else value[flag.value]
    )
    about = flag.about.replace("[", "(").replace("]", ")").replace(":", "\\:")
    specs = [_quoted(f"{name}[{about}]{tail}") for name in flag.names]
    return " ".join(specs)


def _fish(entries: list[Entry], common: tuple[Flag, ...]) -> str:
    lines = ["# fish completion of ago; pressing Tab starts no process.", "complete -c ago -e"]
    lines += [f"complete -c ago {_fish_flag(flag)}" for flag in common]
    for entry in entries:
        here = f"complete -c ago -n '__fish_seen_subcommand_from {entry.name}'"
        about = _quoted(entry.about)
        lines.append(f"complete -c ago -n __fish_use_subcommand -f -a {entry.name} -d {about}")
        lines += [f"{here} {_fish_flag(flag)}" for flag in entry.flags if flag not in common]
        if entry.words:
            lines.append(f"{here} -f -a '{' '.join(entry.words)}'")
    return "\n".join(lines) + "\n"


def _fish_flag(flag: Flag) -> str:
    names = [f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in flag.names]
    if isinstance(flag.value, tuple):
        names.append(f"-x -a '{' '.join(flag.value)}'")
    else:
        names += {
            "": [],
            "file": ["-r -F"],
            "folder": ["-x -a '(__fish_complete_directories)'"],
        }.get(flag.value, ["-x"])
    return " ".join([*names, "-d", _quoted(flag.about)])


def _quoted(text: str) -> str:
    """A word in single quotes, the same in all three shells."""
    return "'" + text.replace("'", "’") + "'"


SHELLS: Mapping[str, Callable[[list[Entry], tuple[Flag, ...]], str]] = {
    "bash": _bash,
    "fish": _fish,
    "zsh": _zsh,
}
