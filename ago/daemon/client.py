"""The `ago` command: hand the command line to the workspace's daemon and relay what it answers.

Invariant: on the way to a running daemon this imports the wire and the interpreter's own socket
type, nothing else. Without a socket the same command line runs in this process.
"""

from __future__ import annotations

import os
import sys

import ago
from ago import wire
from ago.daemon import place

TYPE_CHECKING = False  # see ago/wire.py
if TYPE_CHECKING:
    from _socket import socket as Socket
    from typing import NoReturn

# They work without a workspace, or serve, or must show what this process sees.
LOCAL = frozenset({"completion", "daemon", "dev", "doctor", "init", "lsp", "skill"})
EXIT_INTERRUPTED, EXIT_INTERNAL, EXIT_ENVIRONMENT = 130, 70, 69

LOST = (
    '{"status":"failed","key":"daemon_lost","message":"the daemon ended before it answered",'
    '"mend":"run the command again; `ago log` says whether an edit was made"}\n'
)
NOT_HERE = (
    '{"status":"failed","key":"unsupported_system","message":"ago runs on Linux and macOS",'
    '"mend":"on Windows, run it inside WSL"}\n'
)


class NoDaemon(Exception):
    """No daemon can be had here: run in this process."""


def main() -> None:
    """Run the command line of this process and end with its exit code."""
    if os.name != "posix":
        write(1, NOT_HERE.encode())
        os._exit(EXIT_ENVIRONMENT)
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        code = 0  # the reader of our output has seen enough
    # Everything is written; taking the interpreter down would only cost time.
    os._exit(code)


def run(argv: list[str]) -> int:
    """Run `argv` through the daemon of its workspace, or else in this process; its exit code."""
    if argv == ["--version"]:
        write(1, f"ago {ago.__version__}\n".encode())
        return 0
    folder, command = scan(argv)
    if command == "hook" and "-h" not in argv and "--help" not in argv:
        from ago.daemon.hooked import run_hook

        return run_hook(folder, argv)
    if command in LOCAL or "AGO_NO_DAEMON" in os.environ:
        run_here(argv)
    root = place.find_root(folder, os.environ.get("GOWORK", ""))
    if not root:
        run_here(argv)
    try:
        if command == "mcp" and not {"-h", "--help"} & set(argv):
            from ago.daemon.relay import Relay

            return Relay(root, argv).run()
        return _run_there(root, argv)
    except NoDaemon:
        run_here(argv)


def scan(argv: list[str]) -> tuple[str, str]:
    """(the folder that -C names, the command word); the real parser runs later and agrees."""
    folder, command = ".", ""
    words = iter(argv)
    for word in words:
        if word == "--":
            break
        if word in ("-C", "--dir"):
            folder = next(words, ".")
        elif word.startswith("--dir="):
            folder = word[6:]
        elif word.startswith("-C"):
            folder = word[2:]
        elif not command and not word.startswith("-"):
            command = word
    return folder, command


def run_here(argv: list[str]) -> NoReturn:
    """Become a process that runs `argv` itself; -P keeps modules of the current folder out."""
    os.execv(sys.executable, [sys.executable, "-P", "-m", "ago", *argv])


def _run_there(root: str, argv: list[str]) -> int:
    request = wire.pack_frame(wire.RUN, describe(argv).pack())
    for _attempt in range(5):
        connection = connect(root)
        try:
            connection.sendall(request)
            begun = wire.read_frame(connection.recv)
        except (OSError, wire.WireError):
            continue
        if begun is None or begun[0] == wire.REPLACED:
            continue  # it was on its way out, or goes away for us; it has begun nothing
        if begun[0] == wire.BEGUN:
            return _relay(connection)
        break
    raise NoDaemon


def connect(root: str, *, spawn: bool = True, limit_s: float = 60.0) -> Socket:
    """A connection to the daemon of `root`, started when there is none and waited for as long as
    `limit_s`: an old one may have to finish an edit first; raises NoDaemon."""
    try:
        target = place.socket_path(root, os.environ)
        return dial(target)
    except (FileNotFoundError, ConnectionRefusedError):
        pass
    except OSError as error:
        raise NoDaemon from error
    if spawn:
        from ago.daemon.spawn import start_daemon

        if connection := start_daemon(root, target, dial, limit_s):
            return connection
    raise NoDaemon


def dial(target: str) -> Socket:
    """A connection to the socket `target`; raises OSError."""
    # `socket` costs 8 ms for its enums of constants; its C type has all that is needed here.
    from _socket import AF_UNIX, SOCK_STREAM, socket

    connection = socket(AF_UNIX, SOCK_STREAM)
    connection.connect(target)
    return connection


def describe(argv: list[str]) -> wire.Run:
    """This process and what it was asked, for a daemon."""
    tty = "".join(name for fd, name in enumerate("ioe") if _is_tty(fd))
    return wire.Run(
        version=ago.__version__,
        home=os.path.dirname(os.path.abspath(ago.__file__)),
        cwd=os.getcwd(),
        argv=argv,
        env=os.environ,
        columns=_columns() if tty else 80,
        tty=tty,
    )


def _is_tty(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False


def _columns() -> int:
    for fd in (1, 2, 0):
        try:
            return os.get_terminal_size(fd).columns or 80
        except OSError:
            continue
    return 80


def _relay(connection: Socket) -> int:
    """Pass on what the daemon sends until the exit code comes."""
    while True:
        try:
            frame = wire.read_frame(connection.recv)
        except (OSError, wire.WireError):
            frame = None
        if frame is None:
            write(1, LOST.encode())
            return EXIT_INTERNAL
        kind, payload = frame
        if kind == wire.STDOUT:
            write(1, payload)
        elif kind == wire.STDERR:
            write(2, payload)
        elif kind == wire.WANT_STDIN:
            connection.sendall(wire.pack_frame(wire.STDIN, read_stdin()))
        elif kind == wire.EXIT:
            return payload[0]


def read_stdin() -> bytes:
    """All of stdin; a closed one is empty."""
    parts = []
    try:
        while part := os.read(0, 1 << 16):
            parts.append(part)
    except OSError:
        pass  # a closed stdin is an empty one
    return b"".join(parts)


def write(fd: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
