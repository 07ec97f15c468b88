"""A run over commits: one long-lived session on one checkout that moves through history."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

from ago.config import Config
from ago.main import Session, open_session
from bench.oracle.express import FileSteps, create_file, delete_file
from bench.oracle.history import Change, Checkout, Commit
from bench.oracle.items import GoFile, read_file
from bench.oracle.replay import Outcome, Settler, make_patch
from bench.oracle.reshape import Shaper
from bench.oracle.step import Inexpressible, Op, Step
from grammar_ops.syntax.imports import list_imports, parse_head

WHOLE_ANSWERS = 50_000_000


class Run:
    """Replays commits one after another."""

    def __init__(self, checkout: Checkout, cache: Path, state: Path) -> None:
        """The session is opened at the first commit with Go files."""
        self.checkout, self.cache, self.state = checkout, cache, state
        self.session: Session | None = None
        self.modules: dict[str, bytes | None] = {}
        self.gone: set[str] = set()
        """Files that the reshaping ops of the commit have moved away."""

    def close(self) -> None:
        """End the session."""
        if self.session:
            self.session.close()

    def replay(self, commit: Commit) -> Outcome | None:
        """What becomes of a commit; None when it changes no Go source."""
        if not commit.go:
            return None
        self.checkout.prepare(commit)
        self._download(_imports_of(commit))
        before = {change.path: change.before for change in commit.go}
        shaper = Shaper(partial(self._attempt, _imports_of(commit)), before, _targets(commit))
        shaper.shape(self._pkg_of)
        outcome = self._settle(commit, shaper)
        if shaper.ops and outcome.verdict not in ("equal", "failed"):
            given_up = [(op["op"], f"the rest: {outcome.verdict}") for op in shaper.ops]
            plain = Shaper(shaper.attempt, before, _targets(commit))
            outcome = self._settle(commit, plain)
            outcome.lowered += given_up
        outcome.lowered += shaper.given_up
        if outcome.verdict == "equal":
            self._send(commit, outcome)
        elif outcome.verdict == "differs":
            self._explain(outcome, _targets(commit))
        elif outcome.verdict == "rejected" and not self._builds(commit):
            outcome.verdict = "does not build"
        return outcome

    def _settle(self, commit: Commit, shaper: Shaper) -> Outcome:
        """Express what the reshaping ops leave."""
        targets = dict.fromkeys(shaper.texts) | _targets(commit)
        try:
            steps = [
                step
                for path, text in shaper.texts.items()
                for step in self._steps(Change(path, text, targets[path]))
            ]
        except Inexpressible as limit:
            return Outcome("inexpressible", str(limit))
        settler = Settler(self._call, shaper.ops, steps, targets, _imports_of(commit))
        return settler.settle()

    def _attempt(self, prefer: list[str], ops: list[Op]) -> dict[str, Any]:
        """A dry run with all texts."""
        patch = make_patch(ops, prefer)
        return self._call("patch", {**patch, "dry_run": True, "show_files": True})

    def _send(self, commit: Commit, outcome: Outcome) -> None:
        """Send the patch for real and compare the trees."""
        outcome.answer = self._call("patch", outcome.patch)
        if outcome.answer["status"] != "accepted":
            outcome.verdict, outcome.why = "rejected", str(outcome.answer.get("reason"))
            return
        outcome.differing = self.checkout.list_differences(commit)
        if outcome.differing:
            outcome.verdict, outcome.why = "differs", "tree"

    def _call(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        if self.session is None:
            config = Config(budget_tokens=WHOLE_ANSWERS, confirm="off")
            self.session = open_session(
                self.checkout.root, cache_dir=self.cache, state_dir=self.state, config=config,
            )  # fmt: skip
        return self.session.call(tool, args)

    def _steps(self, change: Change) -> list[Step]:
        pkg = self._pkg_of(change.path)
        if change.after is None:
            if change.before is None:
                return []
            return [delete_file(pkg, change.path, _read(change.before))]
        if change.before == change.after:
            return []
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
            if rel != path and rel not in self.gone and (parsed := read_file(file.read_bytes())):
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

    def _download(self, imports: list[str]) -> None:
        """Have the modules that this state of the module files needs, as a user would."""
        state = {p: self.checkout.read(p) for p in ("go.mod", "go.sum", "go.work")}
        if state != self.modules:
            self.modules = state
            subprocess.run(
                ["go", "list", "-e", "-deps", "-test", "-f", "{{.ImportPath}}", "./...", *imports],
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
            if target is None or _gofmt(target) != _gofmt(texts.get(path, "").encode()):
                outcome.why = outcome.why or "text"
                return
        outcome.verdict, outcome.why = "inexpressible", "file is not in gofmt form"


def _targets(commit: Commit) -> dict[str, bytes | None]:
    return {change.path: change.after for change in commit.go}


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
