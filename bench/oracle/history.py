"""Commits of a repository as pairs of trees, and the scratch checkout in which they are replayed.

Only `git` is asked, with the hooks and the file-system monitor of the repository switched off.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

QUIET = ("-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false")
DATA_FOLDERS = frozenset({"testdata", "vendor"})


@dataclass(frozen=True)
class Change:
    """One path of a commit: its text before and after, None where there is no file."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True)
class Commit:
    """A commit against its first parent: the Go files that the build reads, and the rest."""

    id: str
    parent: str
    title: str
    go: tuple[Change, ...]
    others: tuple[str, ...]


class Checkout:
    """A clone with a work tree that shares the objects of a repository which is never touched."""

    def __init__(self, repo: Path, root: Path) -> None:
        self.root = root
        if not root.exists():
            _git(repo, "clone", "-q", "-s", "--no-checkout", str(repo.resolve()), str(root))

    def list_commits(self, count: int) -> list[Commit]:
        """The newest changes of the first-parent line, merges left out, oldest first."""
        head = ("rev-list", "--first-parent", "--no-merges", "--min-parents=1", "--reverse")
        ids = self._text(*head, f"--max-count={count}", "origin/HEAD").split()
        return [self.read_commit(commit) for commit in ids]

    def read_commit(self, commit: str) -> Commit:
        """One commit with the texts of its Go files."""
        parent = self._text("rev-parse", f"{commit}^1").strip()
        names = self._text("diff", "--name-only", "--no-renames", "-z", parent, commit)
        paths = [name for name in names.split("\0") if name]
        source = [path for path in paths if is_source(path)]
        changes = (Change(p, self._show(parent, p), self._show(commit, p)) for p in source)
        title = self._text("log", "-1", "--format=%s", commit).strip()
        others = tuple(path for path in paths if not is_source(path))
        return Commit(commit, parent, title, tuple(changes), others)

    def prepare(self, commit: Commit) -> None:
        """The parent's tree, with what is no Go source already the commit's."""
        self._text("checkout", "-q", "-f", "--detach", commit.parent)
        self._text("clean", "-q", "-fdx")
        for path in commit.others:
            if self._show(commit.id, path) is None:
                self._text("rm", "-q", "-f", "--", path)
            else:
                self._text("checkout", "-q", "-f", commit.id, "--", path)

    def finish(self, commit: Commit) -> None:
        """The commit's tree."""
        self._text("checkout", "-q", "-f", "--detach", commit.id)
        self._text("clean", "-q", "-fdx")

    def show_head(self) -> None:
        """The newest tree of the repository."""
        self._text("checkout", "-q", "-f", "--detach", "origin/HEAD")
        self._text("clean", "-q", "-fdx")

    def read_head(self, path: str) -> bytes | None:
        """A file of the newest tree."""
        return self._show("origin/HEAD", path)

    def list_differences(self, commit: Commit) -> list[str]:
        """Paths where the work tree is not the commit's, untracked files included."""
        self._text("add", "--all", "--force")
        changed = self._text("diff", "--cached", "--name-only", "-z", commit.id)
        return sorted(path for path in changed.split("\0") if path)

    def read(self, path: str) -> bytes | None:
        """A file of the work tree."""
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def _show(self, commit: str, path: str) -> bytes | None:
        done = subprocess.run(
            ["git", *QUIET, "show", f"{commit}:{path}"],
            cwd=self.root, capture_output=True, check=False,
        )  # fmt: skip
        return done.stdout if done.returncode == 0 else None

    def _text(self, *args: str) -> str:
        return _git(self.root, *args)


def is_source(path: str) -> bool:
    """Whether the go command would compile a file, in one build or another."""
    parts = path.split("/")
    hidden = any(part[0] in "._" or part in DATA_FOLDERS for part in parts)
    return path.endswith(".go") and not hidden


def _git(folder: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", *QUIET, *args], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout
