"""Shell sessions in documents: run as they are shown, compared with what they show.

A `…` in what is shown stands for anything, on a line of its own for any lines.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
COLUMNS = 100


@dataclass(frozen=True)
class Step:
    """One command, its continuation lines joined, and what is shown of its output."""

    command: str
    shown: str


def steps_of(block: str) -> Iterator[Step]:
    """The steps of a console block."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        more = 1
        while more < len(lines) and lines[more].startswith("> "):
            more += 1
        command = "\n".join([lines[0], *(line[2:] for line in lines[1:more])])
        yield Step(command, "\n".join(lines[more:]).rstrip())


class Session:
    """A shell in a folder: `cd` holds from one command to the next."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        """Starts in `folder`."""
        self.folder, self._env = folder, {**env, "NO_COLOR": "1", "TERM": "xterm"}

    def run(self, command: str) -> str:
        """What a command shows on a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        where = self.folder.parent / ".where"
        process = subprocess.Popen(
            ["bash", "--norc", "-c", f"{command}\npwd > '{where}'"],
            cwd=self.folder, env=self._env, stdin=subprocess.DEVNULL, stdout=theirs,
            stderr=subprocess.STDOUT if " 2>" in command else subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        shown = b"".join(_read(ours))
        process.wait()
        os.close(ours)
        self.folder = Path(where.read_text().strip())
        return shown.decode().replace("\r\n", "\n").rstrip()


def _read(fd: int) -> Iterator[bytes]:
    try:
        while data := os.read(fd, 1 << 16):
            yield data
    except OSError:  # the other end of a terminal is closed
        return


def agrees(shown: str, found: str) -> bool:
    """Whether what is shown is what came, `…` apart."""
    pattern = re.escape(shown).replace("…", ".*")
    return re.fullmatch(pattern, found, re.DOTALL) is not None


def write_block(block: str, outputs: list[str]) -> str:
    """A block with what came, where it no longer agrees."""
    parts = []
    for step, found in zip(steps_of(block), outputs, strict=True):
        text = step.shown if agrees(step.shown, found) else found
        command = step.command.replace("\n", "\n> ")
        parts.append(f"$ {command}\n{text}\n" if text else f"$ {command}\n")
    joint = "\n" if "\n\n$ " in block else ""
    return joint.join(parts)
