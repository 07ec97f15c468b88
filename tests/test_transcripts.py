"""The sessions in the documentation come out as they are shown."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from dirs import Dirs
from transcripts import BLOCK, Session, agrees, steps_of, write_block

ROOT = Path(__file__).resolve().parent.parent

# A document, and the module that its session works on; empty = it makes its own.
SESSIONS = [("README.md", "demo"), ("docs/tutorial.md", "")]


@pytest.mark.go
@pytest.mark.daemon
@pytest.mark.parametrize(("document", "module"), SESSIONS)
def test_sessions_come_out_as_shown(
    document: str, module: str, ago_dirs: Dirs, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "work"
    if module:
        shutil.copytree(ROOT / "testdata" / module, folder)
    else:
        folder.mkdir()
    env = ago_dirs.env() | {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GOCACHE": os.environ.get("GOCACHE", str(Path.home() / ".cache" / "go-build")),
    }
    session = Session(folder, env)
    path = ROOT / document
    text = path.read_text()
    wrong = []
    try:
        for block in BLOCK.findall(text):
            # Confirmation in the background is off in test runs; readers have it on.
            outputs = [
                re.sub(
                    r"\boff(?= undone|$)", "pending", session.run(step.command), flags=re.MULTILINE
                )
                for step in steps_of(block)
            ]
            pairs = zip(steps_of(block), outputs, strict=True)
            wrong += [(s.command, found) for s, found in pairs if not agrees(s.shown, found)]
            if request.config.getoption("--update"):
                text = text.replace(block, write_block(block, outputs))
    finally:
        session.run("ago daemon stop")
    if request.config.getoption("--update"):
        path.write_text(text)
    assert not wrong, "\n".join(f"$ {command}\n{found}" for command, found in wrong)


def test_an_ellipsis_stands_for_anything() -> None:
    assert agrees("a … c\n…\nz", "a b c\n1\n2\nz")
    assert not agrees("a … c", "a b d")
    assert agrees("", "") and not agrees("", "x")
    block = "$ one \\\n> two\nout\n$ three\n"
    assert [(s.command, s.shown) for s in steps_of(block)] == [
        ("one \\\ntwo", "out"), ("three", ""),
    ]  # fmt: skip
    assert write_block(block, ["new", ""]) == "$ one \\\n> two\nnew\n$ three\n"
