"""doctor: look at everything that ago needs on this machine, and say how to mend what is missing.

Invariant: looks only; nothing is built or written but one probe file that is removed, and nothing
is downloaded unless that is asked for.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from importlib import metadata
from pathlib import Path

import ago
from ago.checker.build import build_key
from ago.checker.gocmd import find_go, run_go
from ago.config import cache_home, load_config, state_home
from ago.daemon import place
from ago.protocol.errors import AgoError
from ago.scaffold.finding import Finding, probe_folder
from ago.scaffold.surroundings import (
    look_at_clients,
    look_at_go_caches,
    look_at_gopls,
    look_at_own_cache,
    look_at_source,
    look_at_versions,
)
from grammar_ops.reject import Json

DISTRIBUTION = "ago-go"


def examine(root: Path | None, env: Mapping[str, str], download: bool = False) -> dict[str, Json]:
    """Every finding as a response; `download` gets the modules that go.mod requires first."""
    looks: tuple[Callable[[], Finding], ...] = (
        look_at_ago,
        look_at_versions,
        lambda: look_at_command(env),
        lambda: look_at_go(env),
        lambda: look_at_go_caches(env),
        lambda: look_at_gopls(env),
        look_at_source,
        lambda: look_at_agocheck(env),
        lambda: look_at_own_cache(env),
        lambda: look_at_folder("cache", cache_home(env), "XDG_CACHE_HOME"),
        lambda: look_at_folder("state", state_home(env), "XDG_STATE_HOME"),
        lambda: look_at_sockets(env),
        lambda: look_at_workspace(root),
        lambda: look_at_config(root, env),
        lambda: look_at_daemon(root, env),
        lambda: look_at_clients(root, env),
    )
    found = [look() for look in looks]
    if download and root is not None:
        found.append(fetch_modules(root, env))
    rows: list[Json] = [_row(finding) for finding in found]
    return {"status": "ok", "healthy": all(f.ok for f in found), "findings": rows}


def _row(found: Finding) -> dict[str, Json]:
    row: dict[str, Json] = {"what": found.what, "ok": found.ok, "found": found.found}
    return row | {"mend": found.mend} if found.mend else row


def look_at_ago() -> Finding:
    """The version, and whether another distribution has written over this one's modules."""
    python = ".".join(map(str, sys.version_info[:3]))
    found = f"ago {ago.__version__}, Python {python}, {Path(ago.__file__).parent}"
    others = sorted({*metadata.packages_distributions().get("ago", ())} - {DISTRIBUTION})
    if not others:
        return Finding("ago", True, found)
    named = " ".join(others)
    shared = ", ".join(f"{name} {metadata.version(name)}" for name in others)
    mend = f"pip uninstall {named} && pip install --force-reinstall {DISTRIBUTION}"
    return Finding("ago", False, f"{found}; {shared} has modules of the same name", mend)


def fetch_modules(root: Path, env: Mapping[str, str]) -> Finding:
    """Download what the modules of a workspace require into the module cache."""
    try:
        result = run_go(find_go(env), ["mod", "download"], cwd=root, timeout=600, network=True)
    except AgoError as error:
        return Finding("modules", False, error.message, error.mend)
    if result.code != 0:
        return Finding("modules", False, result.complaint, "see GOPROXY, and `go mod tidy`")
    return Finding("modules", True, "all that is required is in the module cache")


def look_at_command(env: Mapping[str, str]) -> Finding:
    """Whether `ago` on PATH is this one."""
    first = shutil.which("ago", path=env.get("PATH"))
    own = Path(sys.executable).parent / "ago"
    if first is None:
        return Finding("command", True, "no `ago` on PATH", f"add {own.parent} to PATH")
    if own.exists() and Path(first).samefile(own):
        return Finding("command", True, first)
    owner = owner_of(Path(first))
    if owner == DISTRIBUTION:
        return Finding("command", True, f"{first}, of another installation of {DISTRIBUTION}")
    mend = f"put {own.parent} before {Path(first).parent} on PATH, or remove {first}"
    return Finding("command", False, f"{first} belongs to {owner}", mend)


def owner_of(script: Path) -> str:
    """Who put a command there, by what it starts."""
    try:
        head = script.read_bytes()[:4096]
    except OSError:
        return "an unreadable file"
    if b"ago.daemon.client" in head:
        return DISTRIBUTION
    for line in head.decode("latin-1").splitlines():
        if line.startswith("from ") and " import " in line:
            return f"the Python package {line.split()[1].partition('.')[0]}"
    return "another program"


def look_at_go(env: Mapping[str, str]) -> Finding:
    """The go command that would be used."""
    try:
        go = find_go(env)
    except AgoError as error:
        return Finding("go", False, error.message, error.mend)
    return Finding("go", True, f"{go.version}, {go.binary}")


def look_at_agocheck(env: Mapping[str, str]) -> Finding:
    """Whether agocheck is built for that go."""
    try:
        binary = cache_home(env) / "agocheck" / build_key(find_go(env)) / "agocheck"
    except (AgoError, OSError):
        return Finding("agocheck", False, "not built: no go command", "install Go first")
    if binary.exists():
        return Finding("agocheck", True, str(binary))
    wait = "some 5 s, more where Go's build cache is empty"
    return Finding("agocheck", True, f"not built yet; the first question builds it ({wait})")


def look_at_folder(what: str, folder: Path, variable: str) -> Finding:
    """Whether a folder of ours can be written."""
    if why := probe_folder(folder):
        mend = f"make it writable, or set {variable} to a folder that is"
        return Finding(what, False, f"{folder}: {why}", mend)
    return Finding(what, True, str(folder))


def look_at_sockets(env: Mapping[str, str]) -> Finding:
    """Whether a daemon could listen here."""
    try:
        folder = place.socket_folder(env)
        probe = Path(folder, f"probe-{os.getpid()}")
        with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as listener:
            listener.bind(str(probe))
        probe.unlink()
    except OSError as error:
        mend = "ago works without (slower: no daemon); allow Unix sockets there for more speed"
        return Finding("sockets", True, f"none: {error}", mend)
    return Finding("sockets", True, folder)


def look_at_workspace(root: Path | None) -> Finding:
    """The workspace that commands here would speak of."""
    if root is None:
        mend = "go to a folder with a go.mod above it, or use -C"
        return Finding("workspace", True, "none here", mend)
    marker = "go.work" if (root / "go.work").is_file() else "go.mod"
    return Finding("workspace", True, f"{root} ({marker})")


def look_at_config(root: Path | None, env: Mapping[str, str]) -> Finding:
    """Whether the configuration files can be used."""
    try:
        load_config(root, env)
    except AgoError as error:
        return Finding("config", False, error.message, error.mend)
    return Finding("config", True, "ago.toml and the user's file are well formed or absent")


def look_at_daemon(root: Path | None, env: Mapping[str, str]) -> Finding:
    """Whether a daemon serves the workspace now."""
    if root is None:
        return Finding("daemon", True, "none: no workspace")
    try:
        with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as connection:
            connection.connect(place.socket_path(str(root), env))
    except OSError:
        return Finding("daemon", True, "not running; the first command starts it")
    return Finding("daemon", True, "running")
