"""What doctor finds around ago: gopls, Go's caches, ago's own, the clients that start it.

Invariant: looks only; what ago can do without is never called unhealthy.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from ago.checker.build import SOURCE
from ago.checker.gocmd import find_go, run_go
from ago.config import cache_home
from ago.protocol.errors import AgoError
from ago.scaffold import jsonc
from ago.scaffold.clients import CLIENTS, Client, config_file
from ago.scaffold.finding import Finding, probe_folder

_LIBRARIES = ("click", "pydantic", "orjson", "tree-sitter", "tree-sitter-go", "watchdog", "mcp")
_BIG_MB = 2000


def look_at_versions() -> Finding:
    """The libraries that this ago runs with."""
    found = []
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return Finding("libraries", True, ", ".join(found))


def look_at_gopls(env: Mapping[str, str]) -> Finding:
    """gopls, which serves editors beside `ago lsp`; ago itself never runs it."""
    binary = shutil.which("gopls", path=env.get("PATH"))
    if binary is None:
        mend = "only editors want it: go install golang.org/x/tools/gopls@latest"
        return Finding("gopls", True, "none on PATH", mend)
    try:
        done = subprocess.run(
            [binary, "version"], capture_output=True, text=True, timeout=10, check=False
        )
        said = done.stdout.split("\n")[0].removeprefix("golang.org/x/tools/gopls ")
    except (OSError, subprocess.TimeoutExpired):
        return Finding("gopls", True, f"{binary} does not start", "install it again")
    return Finding("gopls", True, f"{said.strip() or 'unknown version'}, {binary}")


def look_at_go_caches(env: Mapping[str, str]) -> Finding:
    """Whether Go's own caches can be written, which sandboxes often forbid."""
    try:
        go = find_go(env)
        said = run_go(go, ["env", "-json", "GOCACHE", "GOMODCACHE"], cwd=Path("/"), timeout=20)
        folders = json.loads(said.stdout)
    except (AgoError, ValueError):
        return Finding("go caches", True, "unknown: no go command")
    bad = {name: why for name in folders if (why := probe_folder(Path(folders[name])))}
    shown = ", ".join(f"{name} {folders[name]}" for name in folders)
    if not bad:
        return Finding("go caches", True, shown)
    why = "; ".join(f"{name} {folders[name]}: {reason}" for name, reason in bad.items())
    mend = " and ".join(f"export {name}=a folder that can be written" for name in bad)
    return Finding("go caches", False, why, mend)


def look_at_own_cache(env: Mapping[str, str]) -> Finding:
    """How much ago keeps that can be made again."""
    folder = cache_home(env)
    size = sum(map(_size, folder.rglob("*"))) // 1_000_000
    workspaces = len(list((folder / "facts").glob("*")))
    found = f"{size} MB, facts of {workspaces} workspace{'s' * (workspaces != 1)}, {folder}"
    mend = f"it can be made again: rm -r {folder}" if size > _BIG_MB else ""
    return Finding("own cache", True, found, mend)


def _size(path: Path) -> int:
    """Bytes of a file, none where it has gone meanwhile."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def look_at_source() -> Finding:
    """Whether agocheck can be built without a network."""
    if (SOURCE / "vendor" / "modules.txt").is_file():
        return Finding("agocheck source", True, "with all its dependencies")
    mend = "in a checkout: make setup"
    return Finding("agocheck source", True, "x/tools comes through the module proxy once", mend)


def look_at_clients(root: Path | None, env: Mapping[str, str]) -> Finding:
    """Which clients start ago here, and whether what they start is there."""
    if root is None:
        return Finding("clients", True, "none: no workspace")
    home = Path(env.get("HOME") or "/")
    wired, broken = [], []
    for client in CLIENTS:
        file = config_file(client, root, home)
        if command := _command(client, file):
            wired.append(client.title)
            if command.startswith("/") and not Path(command).exists():
                broken.append(f"{client.title} starts {command}, which is not there")
    if broken:
        return Finding("clients", False, "; ".join(broken), "run `ago init` again")
    if not wired:
        return Finding("clients", True, "none is told of ago here", "run `ago init`")
    return Finding("clients", True, ", ".join(wired))


def _command(client: Client, file: Path) -> str:
    """What a client's configuration starts as ago, "" when it does not."""
    try:
        text = file.read_text(encoding="utf-8")
        known = tomllib.loads(text) if file.suffix == ".toml" else jsonc.load(text)
    except (OSError, ValueError):
        return ""
    for path in ((*client.path, "ago"), ("mcp", "servers", "ago")):
        entry: object = known
        for key in path:
            entry = entry.get(key) if isinstance(entry, dict) else None
        if isinstance(entry, dict):
            command = entry.get("command")
            return str(command[0] if isinstance(command, list) and command else command)
    return ""
