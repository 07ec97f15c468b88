"""A run over commits: one long-lived session on one checkout that moves through history."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ago.config import Config
from ago.main import open_session
from bench.oracle.express import FileSteps, create_file
from bench.oracle.history import Change, Checkout, Commit
from bench.oracle.items import GoFile, read_file
from bench.oracle.replay import Outcome, Settler
from bench.oracle.step import Inexpressible, Step
from grammar_ops.catalog import CATALOG
from grammar_ops.syntax.imports import list_imports, parse_head

WHOLE_ANSWERS = 50_000_000


class Run:
    """Replays commits one after another."""

    def __init__(self, checkout: Checkout, home: Path) -> None:
        """The session is opened at the first commit with Go files."""
        self.checkout, self.home = checkout, home
        self.session = None
        self.modules: dict[str, bytes | None] = {}

    def close(self) -> None:
        """End the session."""
        if self.session:
            self.session.close()

    def replay(self, commit: Commit) -> Outcome | None:
        """What becomes of a commit; None when it changes no Go source."""
        if not commit.go:
            return None
        self.checkout.prepare(commit)
        self._download()
        try:
            steps = [step for change in commit.go for step in self._steps(change)]
        except Inexpressible as limit:
            return Outcome("inexpressible", str(limit))
        targets = {change.path: change.after for change in commit.go}
        outcome = Settler(self._call, steps, targets, _imports_of(commit)).settle()
        if outcome.verdict == "equal":
            self._send(commit, outcome)
        elif outcome.verdict == "differs":
            self._explain(outcome, targets)
        elif outcome.verdict == "rejected" and not self._builds(commit):
            outcome.verdict = "does not build"
        return outcome

    def _send(self, commit: Commit, outcome: Outcome) -> None:
        """Send the patch for real and compare the trees."""
        outcome.answer = self._call("patch", outcome.patch)
        if outcome.answer["status"] != "accepted":
            outcome.verdict, outcome.why = "rejected", str(outcome.answer.get("reason"))
            return
        outcome.differing = self.checkout.list_differences(commit)
        if outcome.differing:
            outcome.verdict, outcome.why = "differs", "tree"

    def _call(self, tool: str, args: dict) -> dict:
        if self.session is None:
            config = Config(budget_tokens=WHOLE_ANSWERS, confirm="off")
            self.session = open_session(
                self.checkout.root, cache_dir=self.home / "cache", state_dir=self.home / "state",
                config=config,
            )  # fmt: skip
        return self.session.call(tool, args)

    def _steps(self, change: Change) -> list[Step]:
        pkg = self._pkg_of(change.path)
        if change.after is None:
            if "delete_file" not in CATALOG:
                raise Inexpressible("op delete_file")
            return [Step(change.path, "", [[{"op": "delete_file", "path": change.path}]], 7)]
        new = _read(change.after)
        if change.before is None:
            return create_file(pkg, change.path, new)
        folder = change.path.rpartition("/")[0]
        others = self._names_beside(folder, change.path)
        steps = FileSteps(pkg, change.path, _read(change.before), new, lambda s: s not in others)
        return steps.list_steps()

    def _names_beside(self, folder: str, path: str) -> set[str]:
        """The names that other files of a folder declare."""
        found: set[str] = set()
        for file in (self.checkout.root / folder).glob("*.go"):
            rel = file.relative_to(self.checkout.root).as_posix()
            if rel != path and (parsed := read_file(file.read_bytes())):
                found.update(sym for item in parsed.items for sym in item.syms)
        return found

    def _pkg_of(self, path: str) -> str:
        """Import path of the package that a file is in."""
        folder = (self.checkout.root / path).parent
        for module in (folder, *folder.parents):
            if (module / "go.mod").is_file():
                text = (module / "go.mod").read_text()
                name = next(
                    line.split()[1] for line in text.splitlines() if line.startswith("module")
                )
                rest = folder.relative_to(module).as_posix()
                return name if rest == "." else f"{name}/{rest}"
        return folder.relative_to(self.checkout.root).as_posix()

    def _download(self) -> None:
        """Have the modules that this state of the module files needs, as a user would."""
        state = {p: self.checkout.read(p) for p in ("go.mod", "go.sum", "go.work")}
        if state != self.modules:
            self.modules = state
            subprocess.run(
                ["go", "list", "-e", "-deps", "-test", "-f", "{{.ImportPath}}", "./..."],
                cwd=self.checkout.root, capture_output=True, check=False,
            )  # fmt: skip

    def _builds(self, commit: Commit) -> bool:
        """Whether the commit itself compiles, tests included."""
        self.checkout.finish(commit)
        done = subprocess.run(
            ["go", "vet", "-assign=true", "./..."],
            cwd=self.checkout.root, capture_output=True, check=False,
            env={**os.environ, "GOFLAGS": "-buildvcs=false"},
        )  # fmt: skip
        return done.returncode == 0

    def _explain(self, outcome: Outcome, targets: dict[str, bytes | None]) -> None:
        """A difference that lies in the form of the commit's own files alone is none of ago's."""
        texts = outcome.answer.get("texts", {})
        for path in outcome.differing:
            target = targets[path]
            if target is None or _gofmt(target) != texts.get(path, "").encode():
                outcome.why = outcome.why or "text"
                return
        outcome.verdict, outcome.why = "inexpressible", "commit is not in gofmt form"


def _read(text: bytes) -> GoFile:
    parsed = read_file(text)
    if parsed is None:
        raise Inexpressible("syntax that the grammar can't read")
    return parsed


def _gofmt(text: bytes) -> bytes:
    return subprocess.run(["gofmt"], input=text, capture_output=True, check=False).stdout


def _imports_of(commit: Commit) -> list[str]:
    texts = [change.after for change in commit.go if change.after is not None]
    return sorted({imp.path for text in texts for imp in list_imports(parse_head(text), text)})
