"""Reference Checker: the real go command on an overlay, over an edit and all its importers.

Invariant: text of the go command that is not understood counts as a finding, never as acceptance.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from ago.checker.checker import CheckRequest, CheckResult, Diagnostic, Overlay, UnitKey, UnitVerdict
from ago.checker.diagnostics import Source, finding, parse_output
from ago.checker.gocmd import Go, GoResult, run_go
from ago.checker.overlay import Stage, staged
from grammar_ops.reject import Json

WHOLE = "./..."
"""The package that is named where the go command can't list any."""
_GRAPH = "ImportPath,Dir,Name,ImportMap,Imports,TestImports,XTestImports"
_VERDICT = "ImportPath,ForTest,Error,DepsErrors"
_REPLACED = re.compile(r"(?m)^\s*(?:replace\s+)?([^\s(]+)(?:\s+v\S+)?\s*=>\s*\.{1,2}/")
_USE = re.compile(r"(?m)^\s*(?:use\s+)?(\.{1,2}(?:/\S*)?)\s*$")
_MODULE_FILES = frozenset({"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt"})


@dataclass(frozen=True)
class Targets:
    """What has to be judged for one overlay."""

    packages: tuple[str, ...]
    """Touched packages and everything that imports them, tests included."""
    vetted: tuple[str, ...]
    """Those that need no folder which is not on the disk: go vet fails on a new one."""
    mains: tuple[str, ...]
    """Touched commands, to be linked."""
    folders: tuple[str, ...]
    """Folders of the packages that are on the disk."""


@dataclass
class Findings:
    """What the go command said of one tree."""

    units: dict[UnitKey, list[Diagnostic]] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)
    below: set[str] = field(default_factory=set)
    """Packages that were not compiled, because something they import does not compile."""
    uncompiled: set[str] = field(default_factory=set)
    """Packages that the go command did not even try: an import does not resolve, for one."""

    def has_errors(self) -> bool:
        """Whether anything does not compile."""
        return any(self.units.values())


class Toolchain:
    """The go command as a Checker."""

    name: Literal["resident", "toolchain"] = "toolchain"

    def __init__(
        self,
        root: Path,
        go: Go,
        *,
        timeout: float = 600,
        nice: int = 0,
        stop: threading.Event | None = None,
        folder: str = "",
        apart: bool = False,
        verdict_only: bool = False,
    ) -> None:
        """`timeout` in seconds; `folder` is that of a module below the root with a build of its
        own; `apart`: the touched packages alone are judged, and nothing is linked; `verdict_only`:
        what compiles is judged in full, but without warnings: one cheap analyzer, no optimised
        code."""
        self.root, self._with, self._timeout = root, go, timeout
        self._folder, self._apart = folder, apart
        self._nice, self._stop = nice, stop
        self._vet_flags = ["-assign"] if verdict_only else []
        self._compile = ["-N", "-l"] if verdict_only else []

    def check(self, request: CheckRequest) -> CheckResult:
        """Judge base + overlay by compiling and vetting; the base only where there are findings."""
        after = self.examine(request.overlay, request.overlay)
        before = Findings()
        if after.has_errors() or after.warnings or after.below:
            before = self.examine({}, request.overlay)
        return compare(after, before)

    def examine(self, overlay: Overlay, paths: Iterable[str]) -> Findings:
        """All that the go command says of the tree with `overlay`, in what `paths` reach."""
        with staged(overlay, self.root, self._folder) as stage:
            return self._judge(stage, self._targets(stage, paths), self._source(overlay))

    def targets(self, paths: Iterable[str]) -> Targets:
        """What files of the disk reach."""
        with staged({}, self.root, self._folder) as stage:
            return self._targets(stage, paths)

    def _targets(self, stage: Stage, paths: Iterable[str]) -> Targets:
        packages = self._list(stage, [f"-json={_GRAPH}", *list_patterns(self.root / self._folder)])
        graph = {str(p["ImportPath"]): p for p in packages}
        folders = {self._relative(str(p["Dir"])): path for path, p in graph.items() if p.get("Dir")}
        touched = self._touched(paths, folders)
        imports = {path: _imports(p) for path, p in graph.items()}
        reached = touched if self._apart else reverse_closure(touched, imports)
        if WHOLE in graph:  # nothing could be listed, which is said of all
            reached = {WHOLE}
        judged = tuple(sorted(reached & set(graph)))
        on_disk = {path: str(graph[path].get("Dir") or "") for path in judged}
        made = [path for path, folder in on_disk.items() if not Path(folder).is_dir()]
        # Vet looks at what a package imports, too, each from within its folder.
        below = reverse_closure(made, imports)
        vetted = tuple(path for path in judged if path not in below)
        on_disk = {path: folder for path, folder in on_disk.items() if path not in made}
        linked = () if self._apart else judged
        mains = tuple(p for p in linked if p in touched and graph[p].get("Name") == "main")
        return Targets(judged, vetted, mains, tuple(on_disk.values()))

    def _touched(self, paths: Iterable[str], folders: Mapping[str, str]) -> set[str]:
        """Import paths of the packages that files belong to, one that is gone by its old name."""
        touched, unknown = set(), set()
        for path in paths:
            if PurePosixPath(path).name in _MODULE_FILES:
                return set(folders.values())
            folder = _package_folder(path, folders)
            if folder is not None:
                touched.add(folders[folder])
            elif path.endswith(".go"):
                unknown.add(PurePosixPath(path).parent.as_posix())
        if unknown:
            with staged({}, self.root, self._folder) as stage:
                base = self._list(
                    stage, ["-json=ImportPath,Dir", *list_patterns(self.root / self._folder)]
                )
            known = ((self._relative(str(p.get("Dir"))), str(p["ImportPath"])) for p in base)
            touched |= {path for folder, path in known if folder in unknown}
        return touched

    def _judge(self, stage: Stage, targets: Targets, source: Source) -> Findings:
        """Compile packages with their tests, vet those on the disk, link touched commands."""
        out = Findings()
        if not targets.packages:
            return out
        cut = set()
        for package in self._compiled(stage, self._compile, targets.packages):
            _collect(out, package, stage, source)
            if _is_cut_off(package):
                cut.add(_key_of(package).pkg)
        # The compiler stops at ten errors, which may all be old ones.
        for package in self._compiled(stage, [*self._compile, "-e"], sorted(cut)) if cut else ():
            out.units.pop(_key_of(package), None)
            _collect(out, package, stage, source)
        failed = {key.pkg for key, found in out.units.items() if found} | out.below
        if sound := [path for path in targets.vetted if path not in failed]:
            self._vet(stage, sound, source, out)
        if mains := [path for path in targets.mains if path not in failed]:
            self._link(stage, mains, source, out)
        return out

    def _compiled(
        self, stage: Stage, flags: Sequence[str], packages: Sequence[str]
    ) -> list[dict[str, Json]]:
        compiler = [f"-gcflags={' '.join(flags)}"] if flags else []
        return self._list(stage, ["-export", "-test", f"-json={_VERDICT}", *compiler, *packages])

    def _vet(self, stage: Stage, packages: list[str], source: Source, out: Findings) -> None:
        result = self._go(["vet", *self._vet_flags, "-json", *stage.flags, *packages])
        for verdict in _json_stream(result.stdout.decode("utf-8", "replace")):
            for analyzers in verdict.values():
                out.warnings += _analyzer_findings(analyzers, stage, source)
        _add_text(out, result, stage, source, packages[0])

    def _link(self, stage: Stage, mains: list[str], source: Source, out: Findings) -> None:
        result = self._go(["build", *stage.flags, "-o", os.devnull, *mains])
        if result.code != 0:
            _add_text(out, result, stage, source, mains[0])

    def _list(self, stage: Stage, args: list[str]) -> list[dict[str, Json]]:
        result = self._go(["list", "-e", *stage.flags, *args])
        packages = list(_json_stream(result.stdout.decode("utf-8", "replace")))
        if result.code != 0 and not packages:
            problem: dict[str, Json] = {"Pos": "", "Err": result.complaint}
            return [{"ImportPath": WHOLE, "Error": problem}]
        return packages

    def _go(self, args: list[str]) -> GoResult:
        # A go.work of the root does not know a module with a build of its own.
        extra = {"GOWORK": "off"} if self._folder else {}
        return run_go(
            self._with, args, cwd=self.root / self._folder, timeout=self._timeout,
            extra=extra, nice=self._nice, stop=self._stop,
        )  # fmt: skip

    def _source(self, overlay: Overlay) -> Source:
        def read(path: str) -> bytes | None:
            if path in overlay:
                return overlay[path]
            target = self.root / path
            return target.read_bytes() if target.is_file() else None

        return read

    def _relative(self, folder: str) -> str:
        path = Path(folder)
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else folder


def list_patterns(root: Path) -> list[str]:
    """What names every package below the root to `go list`: those of the main modules, and those of
    modules that a `replace` resolves to a folder, which may import the main module back."""
    module_files = [root / "go.mod"]
    patterns = ["./..."]
    if (workfile := root / "go.work").exists():
        # `work` is every package of every main module.
        patterns = ["work"]
        used = _USE.findall(workfile.read_text("utf-8", "replace"))
        module_files = [workfile, *(root / folder / "go.mod" for folder in used)]
    for file in module_files:
        text = file.read_text("utf-8", "replace") if file.is_file() else ""
        patterns += [f"{path}/..." for path in _REPLACED.findall(text)]
    return list(dict.fromkeys(patterns))


def reverse_closure(start: Iterable[str], imports: Mapping[str, Iterable[str]]) -> set[str]:
    """`start` and every package that reaches one of them through imports."""
    importers: dict[str, set[str]] = {}
    for path, wanted in imports.items():
        for target in wanted:
            importers.setdefault(target, set()).add(path)
    reached, todo = set(start), list(start)
    while todo:
        for importer in importers.get(todo.pop(), ()):
            if importer not in reached:
                reached.add(importer)
                todo.append(importer)
    return reached


def _package_folder(path: str, folders: Mapping[str, str]) -> str | None:
    """The package folder a file counts for: its own, or for an embedded file the nearest above."""
    for parent in PurePosixPath(path).parents:
        if (folder := parent.as_posix()) in folders:
            return folder
        if path.endswith(".go"):
            return None
    return None


def _imports(package: Mapping[str, Json]) -> set[str]:
    out: set[str] = set()
    for key in ("Imports", "TestImports", "XTestImports"):
        value = package.get(key)
        out.update(str(path) for path in value if value) if isinstance(value, list) else None
    return out


def _collect(out: Findings, package: dict[str, Json], stage: Stage, source: Source) -> None:
    key, errors = _key_of(package), _own_errors(package)
    found = out.units.setdefault(key, [])
    if package.get("DepsErrors") and not errors:
        out.below.add(key.pkg)
    # What the compiler says begins with the package that it compiled.
    if any(not str(error.get("Err")).startswith("# ") for error in errors):
        out.uncompiled.add(key.pkg)
    for error in errors:
        found += _package_error(error, stage, source)


def _own_errors(package: Mapping[str, Json]) -> list[dict[str, Json]]:
    """What the go command says of a package itself."""
    errors = [package["Error"]] if package.get("Error") else []
    deps = package.get("DepsErrors")
    for dep in deps if isinstance(deps, list) else []:
        # An import that does not resolve is reported on the importer, with itself on the stack.
        stack = dep.get("ImportStack") if isinstance(dep, dict) else None
        own = isinstance(stack, list) and stack[-1:] == [_key_of(package).pkg]
        errors += [dep] if own and dep not in errors else []
    return [error for error in errors if isinstance(error, dict)]


def _is_cut_off(package: Mapping[str, Json]) -> bool:
    return any("too many errors" in str(error.get("Err")) for error in _own_errors(package))


def _package_error(error: Mapping[str, Json], stage: Stage, source: Source) -> list[Diagnostic]:
    text, stack = str(error.get("Err") or ""), error.get("ImportStack")
    if text.startswith("import cycle") and isinstance(stack, list):
        text = f"import cycle not allowed: {' imports '.join(str(p) for p in stack)}"
        return [finding("", 0, 0, text, "list", None, "import_cycle")]
    where = str(error.get("Pos") or "")
    parsed = parse_output(f"{where}: {text}" if where else text, stage.locate, source, "toolchain")
    if parsed.unknown:
        rest = "\n".join(parsed.unknown)
        parsed.found.append(finding("", 0, 0, rest, "list", None))
    return parsed.found


def _add_text(out: Findings, result: GoResult, stage: Stage, source: Source, package: str) -> None:
    """Findings in the text of vet or build; what is not understood stands as one finding."""
    parsed = parse_output(result.complaint, stage.locate, source, "toolchain")
    found = out.units.setdefault(UnitKey(package, ""), [])
    found += parsed.found
    if parsed.unknown or (result.code != 0 and not parsed.found):
        text = "\n".join(parsed.unknown) or f"go exited with {result.code}"
        found.append(finding("", 0, 0, text, "toolchain", None))


def _analyzer_findings(analyzers: Json, stage: Stage, source: Source) -> Iterator[Diagnostic]:
    if not isinstance(analyzers, dict):
        return
    for name, findings in analyzers.items():
        for row in findings if isinstance(findings, list) else []:
            if isinstance(row, dict):
                path, line, col = str(row.get("posn")).rsplit(":", 2)
                located = stage.locate(path)
                text, msg = source(located), str(row.get("message"))
                yield finding(located, int(line), int(col), msg, "vet", text, f"vet/{name}")


def compare(after: Findings, before: Findings) -> CheckResult:
    """One tree's findings over another's as its baseline.

    The package with its first test file holds the files that it held without one.
    """
    plain = {key: before.units.get(UnitKey(key.pkg, ""), []) for key in after.units}
    units = tuple(
        UnitVerdict(key, tuple(found), tuple(before.units.get(key, plain[key])))
        for key, found in sorted(after.units.items())
    )
    known = Counter((d.file, d.code, d.msg) for d in before.warnings)
    fresh = []
    for warning in dict.fromkeys(after.warnings):
        name = (warning.file, warning.code, warning.msg)
        if known[name] > 0:
            known[name] -= 1
        else:
            fresh.append(warning)
    below = sorted(after.below & before.below)
    unproven = [f"{path}: not compiled, below an error that stood before" for path in below]
    blind = sorted(after.uncompiled & before.uncompiled)
    unproven += [f"{path}: not compiled for an error that stood before" for path in blind]
    return CheckResult(
        "", True, units, unproven=tuple(unproven), warnings=tuple(fresh),
        blind=frozenset((*below, *blind)),
    )  # fmt: skip


def _key_of(package: Mapping[str, Json]) -> UnitKey:
    return _unit_key(str(package["ImportPath"]), str(package.get("ForTest") or ""))


def _unit_key(import_path: str, for_test: str) -> UnitKey:
    path = import_path.split(" ", 1)[0]
    if not for_test:
        return UnitKey(path.removesuffix(".test"), "test" if path.endswith(".test") else "")
    if path == f"{for_test}_test":
        return UnitKey(for_test, "xtest")
    return UnitKey(path, "test" if path == for_test else f"test of {for_test}")


def _json_stream(text: str) -> Iterator[dict[str, Json]]:
    """The objects of a text of JSON values one after the other."""
    decoder, at = json.JSONDecoder(), 0
    while (at := _skip_to_object(text, at)) < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value


def _skip_to_object(text: str, at: int) -> int:
    """Start of the next object: vet puts `# package` lines between them."""
    while at < len(text) and text[at] != "{":
        end = text.find("\n", at)
        if text[at].isspace():
            at += 1
        else:
            at = len(text) if end < 0 else end + 1
    return at
