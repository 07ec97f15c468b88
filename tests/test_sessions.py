"""Transcripts: what a person types and sees, command by command, against a real daemon.

A case of testdata/sessions is a txtar archive: files that join or replace those of the demo module,
and `transcript`: lines `$ ago …` with the text that a terminal shows (no colour) and, where not
zero, the exit code in brackets. `--update` rewrites the transcripts.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dirs import Dirs

from ago.dev.txtar import Archive, parse, render

pytestmark = [pytest.mark.daemon, pytest.mark.go]

AGO = Path(sys.executable).with_name("ago")
ROOT = Path(__file__).parent.parent
CASES = sorted((ROOT / "testdata" / "sessions").glob("*.txtar"))

VOLATILE = (
    (re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "<time>"),
    (re.compile(r"\bgo1\.\d+(\.\d+)?"), "<go>"),
    (re.compile(r"\(?\d+\.\d\d+s\)?"), "<seconds>"),
    (re.compile(r'"elapsed_s":[\d.]+'), '"elapsed_s":<seconds>'),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_transcript(
    case: Path, tmp_path: Path, ago_dirs: Dirs, pytestconfig: pytest.Config
) -> None:
    archive = parse(case.read_bytes())
    root = make_module(archive, tmp_path)
    run = Path(f"/tmp/ago-session-{os.getpid()}")
    run.mkdir(mode=0o700, exist_ok=True)
    env = ago_dirs.env() | {"XDG_STATE_HOME": str(tmp_path / "state"), "NO_COLOR": "1"}
    env["XDG_RUNTIME_DIR"] = str(run)
    wanted = archive.files["transcript"].decode()
    try:
        got = "".join(replay(wanted, root, env))
    finally:
        subprocess.run([AGO, "daemon", "stop"], cwd=root, env=env, capture_output=True, check=False)
        shutil.rmtree(run)
    if pytestconfig.getoption("--update"):
        files = archive.files | {"transcript": got.encode()}
        case.write_bytes(render(Archive(archive.comment, files)))
    else:
        assert got == wanted


def make_module(archive: Archive, folder: Path) -> Path:
    """The demo module with the case's files."""
    root = folder / "demo"
    shutil.copytree(ROOT / "testdata" / "demo", root)
    for name, text in archive.files.items():
        if name != "transcript":
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text)
    return root


def replay(transcript: str, root: Path, env: dict[str, str]) -> Iterator[str]:
    """The transcript as it comes out now."""
    for line in transcript.splitlines():
        if not line.startswith("$ ago"):
            continue
        code, shown = run_on_terminal(shlex.split(line[2:])[1:], root, env)
        shown = shown.replace(str(root), "<root>")
        for pattern, word in VOLATILE:
            shown = pattern.sub(word, shown)
        yield f"{line}\n{shown}" + (f"[{code}]\n" if code else "")


def run_on_terminal(argv: list[str], cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    """Run `ago` with its stdout on a terminal; what is said on stderr comes after."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [AGO, *argv], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=theirs,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # Linux: the other end is closed
            part = b""
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.stderr is not None
    complaint = process.stderr.read().decode()
    process.stderr.close()
    code = process.wait(timeout=60)
    return code, b"".join(parts).decode().replace("\r\n", "\n") + complaint
