"""A module proxy in a folder, from testdata/modproxy: what module ops ask in place of a network.

A file `example.test+dep@v1.0.0.txtar` is that version of module example.test/dep.
"""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from dirs import Dirs

from ago.checker.build import find_agocheck
from ago.checker.gocmd import find_go
from ago.config import cache_home
from ago.dev import txtar

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "testdata" / "modproxy"
MODULES = ROOT / "build" / "test-modules"
"""The module cache of the tests: what the proxy gives must not get into a user's own."""


def use(patch: pytest.MonkeyPatch, dirs: Dirs) -> None:
    """Have the go command ask the proxy alone, and keep what it gets apart."""
    find_agocheck(find_go(), cache_home(dirs.env()))  # its own modules come from elsewhere
    patch.setenv("GOPROXY", _built())
    patch.setenv("GOSUMDB", "off")
    patch.setenv("GOMODCACHE", str(MODULES))
    _fill()


def unlock(cache: Path = MODULES) -> None:
    """Let a module cache be deleted: the go command makes its folders read-only."""
    for folder, _, _ in os.walk(cache):
        Path(folder).chmod(0o755)


@cache
def _fill() -> None:
    """Get every module into the cache: cases require some before they begin."""
    names = [path.stem.replace("+", "/") for path in SOURCE.glob("*.txtar")]
    command = ["go", "mod", "download", *names]
    subprocess.run(command, cwd="/", env={**os.environ, "GOFLAGS": ""}, check=True)


@cache
def _built() -> str:
    return build(ROOT / "build" / "test-proxy")


def build(folder: Path) -> str:
    """Write the proxy below a folder; its URL, as GOPROXY takes it."""
    versions: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.glob("*.txtar")):
        module, _, version = path.stem.replace("+", "/").partition("@")
        files = txtar.parse(path.read_bytes()).files
        place = folder / module / "@v"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{version}.mod").write_bytes(files["go.mod"])
        stamp = {"Version": version, "Time": "2020-01-01T00:00:00Z"}
        (place / f"{version}.info").write_text(json.dumps(stamp))
        with zipfile.ZipFile(place / f"{version}.zip", "w") as packed:
            for name, text in files.items():
                packed.writestr(f"{module}@{version}/{name}", text)
        versions[module].append(version)
    for module, known in versions.items():
        (folder / module / "@v" / "list").write_text("".join(f"{v}\n" for v in known))
    return folder.as_uri()
