"""The client's side of `ago hook`: what is no Go passes at once, the rest goes to the daemon.

Invariant: the workspace is that of the edited file, wherever the agent runs. Nothing here raises or
waits beyond its limit: an edit that can't be judged in time passes with a word.
"""

from __future__ import annotations

import os
from os import path

from ago import wire
from ago.daemon import place
from ago.daemon.client import NoDaemon, connect, describe, read_stdin, write

LIMIT_S = 10.0
"""How long an edit may be kept waiting: a daemon that has just begun loads the workspace."""

_FILE_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def run_hook(folder: str, argv: list[str]) -> int:
    """Answer a hook; `folder` is what -C names. The exit code is 0 whatever happens."""
    call = read_stdin()
    try:
        answer = _ask(folder, argv, call)
    except Exception as error:
        answer = _passed(f"{type(error).__name__}: {error}")
    if answer:
        write(1, answer)
    return 0


def _ask(folder: str, argv: list[str], call: bytes) -> bytes:
    names = _list_files(call.decode("utf-8", "replace"), folder)
    go_files = [name for name in names if name.endswith(".go")]
    if names and not go_files:
        return b""
    start = path.dirname(go_files[0]) if go_files else folder
    root = place.find_root(start, os.environ.get("GOWORK", ""))
    if not root:
        return _passed("the file is in no Go module") if go_files else b""
    if "AGO_NO_DAEMON" in os.environ:
        return _passed("there is no daemon")
    return _judge(root, argv, call)


def _judge(root: str, argv: list[str], call: bytes) -> bytes:
    """The daemon's answer, or a word on why there is none."""
    request = wire.pack_frame(wire.RUN, describe(argv).pack())
    for _attempt in range(3):
        try:
            connection = connect(root, limit_s=LIMIT_S)
        except NoDaemon:
            return _passed("no daemon can be had")
        connection.settimeout(LIMIT_S)
        try:
            connection.sendall(request)
            begun = wire.read_frame(connection.recv)
            if begun is not None and begun[0] == wire.BEGUN:
                return _relay(connection.recv, connection.sendall, call)
        except TimeoutError:
            return _passed(f"no word within {LIMIT_S:.0f} s; the daemon may still load the module")
        except (OSError, wire.WireError):
            continue
    return _passed("no daemon answers")


def _relay(recv, sendall, call: bytes) -> bytes:  # type: ignore[no-untyped-def]
    said = b""
    while frame := wire.read_frame(recv):
        kind, payload = frame
        if kind == wire.WANT_STDIN:
            sendall(wire.pack_frame(wire.STDIN, call))
        elif kind == wire.STDOUT:
            said += payload
        elif kind == wire.STDERR:
            write(2, payload)
        elif kind == wire.EXIT:
            return said
    return _passed("the daemon ended before it answered")


def _list_files(call: str, folder: str) -> list[str]:
    """The files that a call speaks of, by absolute path."""
    base = path.join(folder, _text_of(call, "cwd"))
    if name := _text_of(call, "file_path"):
        return [path.join(base, name)]
    patch = _text_of(call, "command") or _text_of(call, "input") or _text_of(call, "patch")
    lines = (line.strip() for line in patch.splitlines())
    found = [
        line[len(head) :].strip() for line in lines for head in _FILE_LINES if line.startswith(head)
    ]
    return [path.join(base, name) for name in found]


def _text_of(call: str, key: str) -> str:
    """The string of a key in JSON text; a whole parser would cost more than all the rest."""
    from _json import scanstring

    at = call.find(f'"{key}"')
    while at >= 0:
        rest = at + len(key) + 2
        value = call[rest : rest + 9].lstrip(" \n\t")
        start = call.find('"', rest)
        if value.startswith(":") and call[rest:start].strip(" \n\t") == ":":
            try:
                return str(scanstring(call, start + 1)[0])
            except (ValueError, SystemError):  # it breaks off; the daemon says so
                return ""
        at = call.find(f'"{key}"', rest)
    return ""


def _passed(why: str) -> bytes:
    from _json import encode_basestring_ascii

    said = encode_basestring_ascii(f"ago: the edit was not judged: {why}")
    return f'{{"systemMessage":{said}}}\n'.encode()
