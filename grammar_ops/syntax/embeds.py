"""Embed directives: the variables that they fill, and which files their patterns may take in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_DIRECTIVE = re.compile(rb"^[ \t]*//go:embed[ \t]+(.*?)\r?$", re.MULTILINE)
_PATTERN = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\S+')
# Only blank lines and comments may stand between a directive and its variable (package embed).
_VARIABLE = re.compile(rb"(?:[ \t]*(?://.*)?\r?\n)*[ \t]*(?:var[ \t]+)?(\w+)")


class Embed(NamedTuple):
    """One pattern of a directive, the offset of the directive and the variable below it."""

    pattern: str
    at: int
    variable: str


def list_embeds(src: bytes) -> Iterator[Embed]:
    """The patterns of every embed directive of a file, without quotes and `all:`."""
    for match in _DIRECTIVE.finditer(src):
        below = _VARIABLE.match(src, match.end())
        variable = below[1].decode() if below else ""
        for pattern in _PATTERN.findall(match[1].decode("utf-8", "replace")):
            yield Embed(pattern.strip('"`').removeprefix("all:"), match.start(), variable)


def may_embed(pattern: str, path: str) -> bool:
    """Whether a pattern may take in a path below its package's folder: a file, something in a
    folder that it matches, or a folder with something in it that it matches."""
    pairs = zip(path.split("/"), pattern.split("/"), strict=False)
    return all(_matches(part, glob) for part, glob in pairs)


def _matches(name: str, glob: str) -> bool:
    """Whether a part of an embed pattern may match a name; one with a class of characters may."""
    any_of = re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".")
    return "[" in glob or re.fullmatch(any_of, name) is not None
