"""Colour for terminals, or none.

Invariant: without colour every function here gives its text back unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_CODES = {
    "red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35", "cyan": "36",
    "bold": "1", "dim": "2",
}  # fmt: skip
_ESCAPE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Paint:
    """Writes with ANSI colours, or plainly."""

    on: bool

    def __call__(self, style: str, text: str) -> str:
        """`text` in a style: one of the names, or several joined with a space."""
        if not self.on or not text:
            return text
        codes = ";".join(_CODES[name] for name in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"

    def diff(self, text: str) -> str:
        """A unified diff with its lines coloured by what they say."""
        return "\n".join(self._diff_line(line) for line in text.splitlines())

    def _diff_line(self, line: str) -> str:
        if line.startswith(("+++ ", "--- ")):
            return self("bold", line)
        if line.startswith("@@"):
            return self("cyan", line)
        if line.startswith("+"):
            return self("green", line)
        if line.startswith("-"):
            return self("red", line)
        return line

    def view(self, text: str) -> str:
        """A view with its handles set off from the code."""
        return "\n".join(
            self("cyan", m[1]) + m[2] if (m := _HANDLES.match(line)) else line
            for line in text.splitlines()
        )


_HANDLES = re.compile(r"^((?:n\d+,?)+:)(.*)$", re.DOTALL)


def wants_colour(choice: str, env: Mapping[str, str], on_terminal: bool) -> bool:
    """Whether to colour: --color decides, else NO_COLOR, else whether it is a terminal."""
    if choice in ("always", "never"):
        return choice == "always"
    return on_terminal and not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def printable(text: str) -> str:
    """`text` without control characters, so that a workspace's own text can't steer a terminal."""
    return _ESCAPE.sub("\ufffd", text.replace("\r\n", "\n"))
