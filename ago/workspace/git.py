"""git, asked about a workspace: hardened, read-only, bounded in time.

Invariant: a checkout can't make it run anything: no fsmonitor, hooks, filters, external diffs,
signature checks, lazy fetches or transports.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from grammar_ops.reject import Reject, register

register(
    "workspace",
    {
        "no_git": "the question needs git, and a workspace in a git checkout",
        "git_failed": "git could not answer",
    },
)

_LIMIT_S = 20.0
_SAFE = (
    "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
    "-c", "protocol.allow=never", "-c", "core.alternateRefsCommand=true", "--no-pager",
    "--no-optional-locks", "--literal-pathspecs",
)  # fmt: skip
_ENV = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")
"""For commands that make diffs: programs that a checkout's attributes name are not run."""


def run_git(root: Path, args: Sequence[str], said: bytes = b"") -> bytes:
    """What `git args` prints in `root`, reading `said`; Reject(no_git, git_failed)."""
    git = shutil.which("git")
    if git is None:
        raise Reject("no_git", "no git command on PATH")
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            [git, *_SAFE, *args],
            cwd=root,
            env=env | _ENV,
            input=said,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Reject("git_failed", f"git took longer than {_LIMIT_S:.0f} s") from error
    if done.returncode != 0:
        why = done.stderr.decode("utf-8", "replace").strip()
        key = "no_git" if "not a git repository" in why else "git_failed"
        raise Reject(key, why.splitlines()[0] if why else "git failed")
    return done.stdout
