"""Identity: whose process is at the other end of a socket, and which code it and we are.

Invariant: asks the kernel and the disk alone; nothing that a client says is believed.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path

NOT_CODE = frozenset({"__pycache__", "vendor", "testdata"})


def is_same_user(connection: socket.socket) -> bool:
    """Whether the process at the other end runs as this user, by the kernel's word."""
    if sys.platform == "linux":
        size = struct.calcsize("3i")
        creds = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
        return int(struct.unpack("3i", creds)[1]) == os.getuid()
    # macOS and the BSDs: struct xucred of LOCAL_PEERCRED (1) at SOL_LOCAL (0).
    creds = connection.getsockopt(0, 1, 76)
    return int(struct.unpack("2I", creds[:8])[1]) == os.getuid()


def parse_version(text: str) -> tuple[int, ...]:
    """The release numbers of a version, for comparing."""
    head = text.partition("+")[0].split(".")
    return tuple(int(part) if part.isdigit() else -1 for part in head)


def code_stamp(home: str) -> tuple[int, int]:
    """(number of files, newest change) of the code in `home` and of grammar_ops beside it."""
    times = []
    for code in (Path(home), Path(home).parent / "grammar_ops"):
        for folder, folders, names in os.walk(code):
            folders[:] = [name for name in folders if name not in NOT_CODE]
            times += [(Path(folder) / name).stat().st_mtime_ns for name in names]
    return len(times), max(times, default=0)
