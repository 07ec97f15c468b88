"""Terminal: what a command line may know of, and write to, the place where it was typed.

Invariant: a command writes through its terminal alone, since many of them run in one daemon.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event


@dataclass(frozen=True)
class Terminal:
    """The client's side of a running command."""

    cwd: str
    env: Mapping[str, str]
    out: Callable[[bytes], None]
    err: Callable[[bytes], None]
    read_stdin: Callable[[], bytes]
    columns: int = 80
    tty: str = ""
    """Which of its streams are terminals: letters of `ioe`."""
    gone: Event = field(default_factory=Event)
    """Set when the client is no longer there: work for it alone may stop."""


def local_terminal() -> Terminal:
    """The terminal of this process itself."""
    tty = "".join(name for fd, name in enumerate("ioe") if os.isatty(fd))
    return Terminal(
        cwd=str(Path.cwd()),
        env=os.environ,
        out=lambda data: _write(1, data),
        err=lambda data: _write(2, data),
        read_stdin=lambda: sys.stdin.buffer.read() if sys.stdin else b"",
        columns=shutil.get_terminal_size().columns,
        tty=tty,
    )


def _write(fd: int, data: bytes) -> None:
    with open(fd, "wb", buffering=0, closefd=False) as stream:
        view = memoryview(data)
        while view:
            view = view[stream.write(view) or 0 :]
