"""Steps of the go command on go.mod and go.sum, run in a shadow of the two; the draft takes them.

Invariant: go.mod and go.sum on the disk are never written; sources come from the draft's overlay.
Invariant: what a step may download, the caller asked for by name; a time limit holds.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ago.checker.gocmd import Go, GoResult, run_go
from ago.checker.overlay import staged
from ago.patch.workbench import IMPORT_REPAIR, Workbench
from ago.protocol.errors import Busy
from ago.workspace.missing import ModulesArrived
from grammar_ops.edit import Edit, Span
from grammar_ops.linediff import text_edits
from grammar_ops.op import GoStep
from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import gomod
from grammar_ops.syntax.imports import list_imports, parse_head

register(
    "patch",
    {
        "modules_offline": "no module proxy could be asked; what is in the module cache can be had",
        "lowers_requirements": "other direct requirements would be lowered or dropped",
    },
)

_FAILED = {"get": "go_get_failed", "mod": "go_mod_tidy_failed"}
_OFFLINE = re.compile(
    r"disabled by GOPROXY=off|dial tcp|no such host|connection refused|network is unreachable"
    r"|i/o timeout|TLS handshake|server misbehaving"
)
_PROGRESS = re.compile(r"^go: (?:downloading|finding|found) .*\n?", re.MULTILINE)


@dataclass
class ModuleCommands:
    """Runs the steps of one patch."""

    root: Path
    go: Go
    seconds: float
    bench: Workbench
    arrived: Callable[[], bool]
    """Whether modules that the build lacked are in the module cache now."""
    done: list[GoStep] = field(default_factory=list)

    def run(self, step: GoStep, number: int) -> None:
        """Run one step on the draft; Reject when the command fails or does more than was asked."""
        path = gomod.file_of(step.dir)
        before = gomod.read_module_file(self.bench.source(path))
        texts = self._command(step)
        if self.arrived():
            raise ModulesArrived
        self._take(step.dir, texts, number)
        after = gomod.read_module_file(self.bench.source(path))
        asked = step.arg.partition("@")[0]
        if step.arg and (lost := gomod.lowered(before, after, asked)):
            raise Reject("lowers_requirements", f"{asked}: {', '.join(lost)}")
        self.done.append(step)

    def settle(self, scope: Scope) -> None:
        """Bring the files in line with the finished draft: imports that later ops wrote count.

        `go get` takes what it adds for indirect until a package of the module is loaded that
        imports it; a tidy is done again, since it speaks of the sources as they are.
        """
        for folder in dict.fromkeys(step.dir for step in self.done):
            steps = [step for step in self.done if step.dir == folder]
            tidied = any(step.command == ("mod", "tidy") for step in steps)
            if tidied and any(path.endswith(".go") for path in self.bench.edited()):
                self._take(folder, self._command(GoStep(folder, ("mod", "tidy"))), IMPORT_REPAIR)
            elif not tidied:
                self._mark_direct(
                    folder, steps, scope.module_files(scope.resolve_module(folder).path)
                )
        if self.done and all(f.text == f.base for f in self.bench.files().values()):
            said = "go.mod and go.sum say so already; what they require is in the module cache"
            raise Reject("no_change", said)

    def changes(self) -> list[str]:
        """What the patch changes in the go.mod files, in words."""
        said = []
        for folder in dict.fromkeys(step.dir for step in self.done):
            path = gomod.file_of(folder)
            texts = self.bench.base(path) or b"", self.bench.source(path)
            said += gomod.describe_changes(*map(gomod.read_module_file, texts))
        return said

    def _mark_direct(self, folder: str, steps: list[GoStep], files: Iterable[str]) -> None:
        added = [step.arg.partition("@")[0] for step in steps if not step.arg.endswith("@none")]
        importing = {_folder(path) for path in files if self._imports(path, added)}
        if not importing:
            return
        patterns = sorted(_relative(path, folder) for path in importing)
        with self._shadow(folder) as (shadow, flags):
            args = ["list", "-mod=mod", "-e", "-f", "", *flags, "--", *patterns]
            self._go(args, folder, network=False)
            self._take(folder, _read(shadow), IMPORT_REPAIR)

    def _imports(self, path: str, modules: list[str]) -> bool:
        source = self.bench.find(path) or b""
        if not any(module.encode() in source for module in modules):
            return False
        found = list_imports(parse_head(source), source)
        return any(gomod.provider_of(known.path, modules) for known in found)

    def _command(self, step: GoStep) -> dict[str, bytes | None]:
        """Run a step in the shadow; the text of go.mod and go.sum afterwards."""
        with self._shadow(step.dir) as (shadow, flags):
            args = [*step.command, *flags, *(["--", step.arg] if step.arg else [])]
            try:
                result = self._go(args, step.dir, network=True)
            except Busy as error:
                hint = "module_seconds in the user's config.toml sets the limit"
                raise self._refusal(step, f"{error.message}; {hint}") from None
            if result.code != 0:
                said = _PROGRESS.sub("", result.complaint)
                raise self._refusal(step, said.replace(f"{shadow}/go.mod", "go.mod").strip())
            return _read(shadow)

    def _refusal(self, step: GoStep, said: str) -> Reject:
        if not _OFFLINE.search(said):
            return Reject(_FAILED[step.command[0]], said)
        module = step.arg.partition("@")[0]
        cached = list_cached(self.go, module) if module else []
        facts: dict[str, Json] = {"versions": [*cached[:3]]}
        known = f"; in the module cache: {', '.join(cached)}" if cached else ""
        detail = f"{said}{known}; set GOPROXY to a proxy that can be reached, and send it again"
        return Reject("modules_offline", detail, facts=facts)

    def _go(self, args: list[str], folder: str, *, network: bool) -> GoResult:
        # A go.work does not take part: these commands speak of one module.
        return run_go(
            self.go, args, cwd=self.root / folder, timeout=self.seconds, network=network,
            extra={"GOWORK": "off"},
        )  # fmt: skip

    def _take(self, folder: str, texts: Mapping[str, bytes | None], number: int) -> None:
        """Make the draft's module files what the go command made of the shadow's."""
        for name, text in texts.items():
            path = gomod.file_of(folder).removesuffix("go.mod") + name
            old = self.bench.find(path) or b""
            edits = [Edit(path, Span(a, b), new) for a, b, new in text_edits(old, text or b"")]
            if edits:
                self.bench.apply(edits, number)

    @contextmanager
    def _shadow(self, folder: str) -> Iterator[tuple[Path, list[str]]]:
        """A copy of the draft's go.mod and go.sum, and the flags for it and the draft's sources."""
        module_file = gomod.file_of(folder)
        own = {module_file, module_file.removesuffix("mod") + "sum"}
        overlay = {path: text for path, text in self.bench.overlay().items() if path not in own}
        with tempfile.TemporaryDirectory(prefix="ago-modfile-") as name:
            for path in own:
                if (text := self.bench.find(path)) is not None:
                    (Path(name) / path.rpartition("/")[2]).write_bytes(text)
            with staged(overlay, self.root) as stage:
                yield Path(name), [f"-modfile={name}/go.mod", *_joined(stage.flags)]


def list_cached(go: Go, module: str) -> list[str]:
    """Versions of a module that lie in the module cache, the newest first."""
    cache = run_go(go, ["env", "GOMODCACHE"], cwd=Path("/")).stdout.decode().strip()
    found = Path(cache, "cache/download", gomod.escaped(module), "@v").glob("*.zip")
    return sorted((zipped.stem for zipped in found), key=gomod.version_key, reverse=True)


def _read(shadow: Path) -> dict[str, bytes | None]:
    files = {name: shadow / name for name in ("go.mod", "go.sum")}
    return {name: file.read_bytes() for name, file in files.items() if file.exists()}


def _joined(flags: tuple[str, ...]) -> list[str]:
    """`-overlay FILE` as one word."""
    return ["=".join(flags)] if flags else []


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _relative(folder: str, module: str) -> str:
    rest = folder if module == "." else folder.removeprefix(module).lstrip("/")
    return f"./{rest}" if rest else "."
