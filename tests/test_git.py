"""Questions answered through git: the commits of a declaration, and a checkout that means harm."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from dirs import Dirs
from workspaces import opened, write

from ago.protocol.requests import Query
from ago.queries.catalog import answer_kind
from grammar_ops.reject import Reject

pytestmark = pytest.mark.go

_MODULE = "module m\n\ngo 1.26\n"


def git(root: Path, *args: str) -> None:
    """Run git as some author, with no configuration but the checkout's own."""
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    identity = ["-c", "user.name=A Gopher", "-c", "user.email=gopher@example.com"]
    subprocess.run(["git", *identity, *args], cwd=root, env=env, check=True, capture_output=True)


def commit(root: Path, subject: str, files: dict[str, str]) -> None:
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-qm", subject)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Three commits, of which the second leaves F alone; then lines that are not committed."""
    root = write(tmp_path / "m", {"go.mod": _MODULE})
    git(root, "init", "-q")
    start = "package m\n\n// F is first.\nfunc F() int { return 1 }\n\nfunc G() int { return 2 }\n"
    commit(root, "add F and G", {"m.go": start})
    commit(root, "change G", {"m.go": start.replace("2", "3")})
    commit(root, "change F", {"m.go": start.replace("1", "4").replace("2", "3")})
    write(root, {"m.go": "package m\n\nvar early = 1\n" + start.partition("\n")[2]})
    return root


def subjects(root: Path, dirs: Dirs, sym: str) -> list[str]:
    with opened(root, dirs) as workspace, workspace.snapshot() as snapshot:
        answer = answer_kind(snapshot, Query(kind="history", sym=sym))
    commits = answer["commits"]
    assert isinstance(commits, list)
    return [str(row["subject"]) for row in commits if isinstance(row, dict)]


def test_history_names_the_commits_of_one_declaration(checkout: Path, ago_dirs: Dirs) -> None:
    assert subjects(checkout, ago_dirs, "F") == ["change F", "add F and G"]
    assert subjects(checkout, ago_dirs, "G") == ["change G", "add F and G"]


def test_history_of_what_is_not_committed_is_refused(checkout: Path, ago_dirs: Dirs) -> None:
    with pytest.raises(Reject) as refused:
        subjects(checkout, ago_dirs, "early")
    assert refused.value.reason == "not_committed"


def test_history_outside_of_git_is_refused(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(tmp_path / "m", {"go.mod": _MODULE, "m.go": "package m\n\nfunc F() {}\n"})
    with pytest.raises(Reject) as refused:
        subjects(root, ago_dirs, "F")
    assert refused.value.reason == "no_git"


def test_history_of_a_file_that_is_not_in_head_is_refused(checkout: Path, ago_dirs: Dirs) -> None:
    write(checkout, {"new.go": "package m\n\nfunc Fresh() {}\n"})
    with pytest.raises(Reject) as refused:
        subjects(checkout, ago_dirs, "Fresh")
    assert refused.value.reason == "git_failed"
    assert "new.go" in refused.value.detail


def test_a_checkout_runs_nothing(checkout: Path, ago_dirs: Dirs) -> None:
    mark = checkout / "ran"
    program = checkout / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    write(checkout, {".gitattributes": "*.go diff=evil filter=evil\n"})
    for key in ("core.fsmonitor", "diff.evil.textconv", "diff.evil.command", "diff.external",
                "filter.evil.smudge", "gpg.program", "core.pager"):  # fmt: skip
        git(checkout, "config", key, str(program))
    git(checkout, "config", "log.showSignature", "true")
    assert subjects(checkout, ago_dirs, "F") == ["change F", "add F and G"]
    assert not mark.exists()


def rows_of(root: Path, dirs: Dirs, since: str) -> list[str]:
    """The answer to diff: each entry as `change sym`, with what it was."""
    with opened(root, dirs) as workspace, workspace.snapshot() as snapshot:
        answer = answer_kind(snapshot, Query(kind="diff", since=since))
    decls = answer["decls"]
    assert isinstance(decls, list)
    return [
        " ".join([*row["change"], row.get("sym") or row["pos"], *filter(None, [row.get("from")])])  # type: ignore[list-item]
        for row in decls
        if isinstance(row, dict)
    ]


def test_diff_tells_what_changed_since_a_commit(checkout: Path, ago_dirs: Dirs) -> None:
    write(
        checkout,
        {
            "go.mod": f"{_MODULE}\ntoolchain go1.26.0\n",
            "sub/sub.go": "package sub\n\nfunc New() {}\n",
            "testdata/t.go": "package t\n",
        },
    )
    assert rows_of(checkout, ago_dirs, "") == [
        "build file go.mod",
        "added early",
        "body F",
        "body G",
        "added New",
    ]
    assert rows_of(checkout, ago_dirs, "HEAD~2") == [
        "build file go.mod",
        "added early",
        "added New",
    ]
    (checkout / "m.go").unlink()
    assert "removed F" in rows_of(checkout, ago_dirs, "HEAD")
    for revision in ("--output=x", "no-such"):
        with pytest.raises(Reject, match="unknown_revision"):
            rows_of(checkout, ago_dirs, revision)
