"""Where a daemon lives: the workspace root, the key of its daemon, the folder of its socket.

Invariant: every client pays for this module, so it knows `os` alone and touches few files.
"""

from __future__ import annotations

import os
import stat
from os import path

TYPE_CHECKING = False  # see ago/wire.py
if TYPE_CHECKING:
    from collections.abc import Mapping

# sun_path holds 104 bytes on macOS; the name of a socket takes 26 of them.
MAX_FOLDER = 76

# What makes two shells see two builds, or two sets of folders: each gets its own daemon.
KEYED = (
    "GOFLAGS", "GOWORK", "GOOS", "GOARCH", "CGO_ENABLED", "GOEXPERIMENT", "GOROOT", "GOPATH",
    "GOMODCACHE", "GOCACHE", "HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME",
)  # fmt: skip


class UnsafeFolder(OSError):
    """The folder for sockets belongs to somebody else, or is open to others."""


def find_root(folder: str, gowork: str = "") -> str:
    """The real path of the nearest folder upward with go.work, else with go.mod; "" without one.

    `gowork` is the variable GOWORK: `off` leaves go.work files out, a path names the one to use.
    """
    chain = _upward(path.realpath(folder))
    module = next((d for d in chain if path.isfile(d + "/go.mod")), "")
    if gowork == "off":
        return module
    if gowork:
        named = path.dirname(path.realpath(gowork))
        return named if named in chain else module
    return next((d for d in chain if path.isfile(d + "/go.work")), module)


def _upward(folder: str) -> list[str]:
    chain = [folder]
    while (parent := path.dirname(chain[-1])) != chain[-1]:
        chain.append(parent)
    return chain


def find_go(search_path: str) -> str:
    """The `go` that comes first on PATH, "" without one."""
    for folder in search_path.split(os.pathsep):
        candidate = path.join(folder, "go")
        if folder and os.access(candidate, os.X_OK) and path.isfile(candidate):
            return candidate
    return ""


def daemon_key(root: str, env: Mapping[str, str]) -> str:
    """16 hex digits for the daemon of `root` in this environment."""
    parts = [root, find_go(env.get("PATH", "")), *(env.get(name, "") for name in KEYED)]
    try:
        from _blake2 import blake2b  # hashlib loads OpenSSL, 3 ms of every call
    except ImportError:
        from hashlib import blake2b
    return blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def socket_folder(env: Mapping[str, str]) -> str:
    """The private folder of sockets and locks, made when absent; raises UnsafeFolder, OSError."""
    runtime = env.get("XDG_RUNTIME_DIR", "")
    folder = path.join(runtime, "ago")
    if not path.isabs(runtime) or not path.isdir(runtime) or len(folder) > MAX_FOLDER:
        folder = f"/tmp/ago-{os.getuid()}"
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise UnsafeFolder(f"{folder} must be a folder of this user alone (mode 0700)")
    return folder


def socket_path(root: str, env: Mapping[str, str]) -> str:
    """The socket of the daemon of `root` in this environment; raises UnsafeFolder, OSError."""
    return f"{socket_folder(env)}/{daemon_key(root, env)}.sock"


def lock_path(socket: str) -> str:
    """The lock file that the daemon of `socket` holds as long as it lives."""
    return socket.removesuffix(".sock") + ".lock"
