"""Start a daemon and be the only one: detach, lock, socket.

Invariant: whoever holds the lock owns the socket's name; nobody else removes or replaces it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ago import wire
from ago.daemon.place import lock_path, socket_path
from ago.protocol.errors import AgoError, Busy
from grammar_ops.reject import Json

Connection = TypeVar("Connection")

START_S = 60.0
"""How long a new daemon waits for an old one, which may have to finish an edit first."""

STOP_S = 10.0
POLL_S = 0.005


def start_daemon(
    root: str, target: str, dial: Callable[[str], Connection], limit_s: float = START_S
) -> Connection | None:
    """Start a detached daemon for `root`; a connection to it (or to the one that won the race).

    None when no daemon can live here (no sockets, a lasting lock), or none is there in time.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "ago", "daemon", "-C", root],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        with suppress(OSError):
            return dial(target)
        if process.poll():  # 0 is the loser of a race: the winner's socket is about to be there
            return None
        time.sleep(POLL_S)
    return None


def hold_lock(target: str, wait_s: float = START_S) -> int | None:
    """The descriptor of the lock, held until it is closed; None when another daemon serves.

    A holder without a socket is on its way out and is waited for.
    """
    deadline = time.monotonic() + wait_s
    while True:
        fd = os.open(lock_path(target), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if _try_lock(fd):
            if _is_current(fd, lock_path(target)):
                return fd
        elif Path(target).exists() or time.monotonic() > deadline:
            os.close(fd)
            return None
        os.close(fd)
        time.sleep(POLL_S)


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def _is_current(fd: int, name: str) -> bool:
    """Whether the locked file still has its name: its last holder may have removed it meanwhile."""
    try:
        found = Path(name).stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(fd))


def release_lock(fd: int, target: str) -> None:
    """Remove the lock file and let go of it; the holder's socket must be gone already."""
    with suppress(OSError):
        Path(lock_path(target)).unlink()
    os.close(fd)


def listen(target: str) -> socket.socket:
    """A listening socket named `target`, which appears in one step; for the lock's holder."""
    fresh = Path(f"{target}.new")
    fresh.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(fresh))
    fresh.chmod(0o600)
    listener.listen(128)
    fresh.rename(target)
    return listener


def stop_daemon(root: str, env: Mapping[str, str]) -> dict[str, Json]:
    """Ask the daemon of `root` to end and wait until it has; AgoError when there is none."""
    target = socket_path(root, env)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(target)
            connection.sendall(wire.pack_frame(wire.STOP))
            wire.read_frame(connection.recv)
    except (OSError, wire.WireError):
        raise AgoError(
            "no_daemon", f"no daemon serves {root}", "there is nothing to stop"
        ) from None
    deadline = time.monotonic() + STOP_S
    while Path(lock_path(target)).exists():
        if time.monotonic() > deadline:
            raise Busy("daemon_busy", "the daemon still finishes an edit", "look again in a moment")
        time.sleep(POLL_S)
    return {"status": "ok", "stopped": root}
