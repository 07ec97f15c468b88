"""Modules that the build lacks: which they are, what mends it, and whether they have come.

Invariant: only looks; what is downloaded, somebody asked for by name.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import orjson

from ago.checker.gocmd import say_mend
from ago.checker.results import AbsentPackage
from ago.facts.store import read_meta, write_meta
from ago.protocol.errors import Busy
from grammar_ops.syntax import gomod

_KEY = "missing"
_NAMED = 3
_IN_WORDS = (
    ("GOPROXY=off", "not in the module cache"),
    ("missing go.sum entry", "go.sum does not list it"),
    ("no required module provides", "no required module provides it"),
)
_VERSIONED = re.compile(r"([\w.~-]+(?:/[\w.~-]+)+)@(v[\w.+-]+)")


class ModulesArrived(Busy):
    """Modules that the build lacked are there since this request began: load it again."""

    def __init__(self) -> None:
        super().__init__("modules_arrived", "missing modules have come", "send it again")


class Absent(NamedTuple):
    """A package that the build imports and does not have."""

    path: str
    why: str
    mend: tuple[str, ...]
    by: tuple[str, ...]
    """The packages that import it, those of other modules too."""
    view: str = ""
    """The folder of the module whose build it is, "" for the root's."""


@dataclass(frozen=True)
class MissingModule:
    """A module that is required and not here, or a package that nothing provides."""

    path: str
    version: str
    packages: tuple[str, ...]
    by: tuple[str, ...]
    why: str
    mend: str
    place: str
    """A file that is there as soon as the module is, "" where nobody can tell which."""

    def __str__(self) -> str:
        shown = ", ".join(self.by[:_NAMED])
        more = f" and {len(self.by) - _NAMED} more" if len(self.by) > _NAMED else ""
        name = f"{self.path} {self.version}".strip()
        return f"{name}: {self.why}; imported by {shown}{more}"


class Awaited:
    """The places in which the modules will be that the build lacks."""

    def __init__(self) -> None:
        """Wait for nothing yet."""
        self._of: object = None
        self._places: set[str] = set()
        self._vain: set[str] = set()
        """Those where something was when the build was loaded: it did not help."""

    def begin(self, modules: Iterable[MissingModule]) -> None:
        """The build was loaded just now, and lacks some modules."""
        self._vain = {module.place for module in modules if _is_there(module.place)}

    def have_come(self, graph: object, modules: Callable[[], list[MissingModule]]) -> bool:
        """Whether one of the modules that a graph lacks is there; they are looked up once."""
        if self._of is not graph:
            self._of, self._places = graph, {module.place for module in modules()}
        return any(_is_there(place) for place in self._places - self._vain)


def _is_there(place: str) -> bool:
    return bool(place) and os.path.exists(place)  # noqa: PTH110


class Provider(NamedTuple):
    """A module that an import path is of."""

    path: str
    version: str
    place: str
    folder: str = ""
    """Of a replacement that is not there."""


def write_missing(
    db: sqlite3.Connection, rows: Sequence[AbsentPackage], view: str = "", *, first: bool = False
) -> None:
    """Note what the build of the root, or of a view, lacks now; `first`: nothing else is known."""
    known = {} if first else orjson.loads(read_meta(db, _KEY) or "{}")
    write_meta(db, _KEY, orjson.dumps({**known, view: rows}).decode())


def read_missing(db: sqlite3.Connection) -> tuple[Absent, ...]:
    """What the builds lack."""
    known: Mapping[str, list[AbsentPackage]] = orjson.loads(read_meta(db, _KEY) or "{}")
    return tuple(
        Absent(row["path"], row["why"], tuple(row["mend"]), tuple(row["by"]), view)
        for view, rows in known.items()
        for row in rows
    )


def list_modules(
    root: Path, folders: Iterable[str], cache: str, absents: Iterable[Absent]
) -> list[MissingModule]:
    """The modules that absent packages belong to; `folders` are those of the workspace's modules,
    `cache` is the module cache."""
    files = _read_files(root, folders)
    found: dict[tuple[str, str], MissingModule] = {}
    for absent in absents:
        # A view requires what its own go.mod says; the root's build is of all modules of go.work.
        own = {absent.view: files[absent.view]} if absent.view in files and absent.view else files
        provider = find_provider(root, own, cache, absent.path)
        # Without one module's go.mod the go command can't tell what others there would be.
        provider = provider or _named_in(absent.why, root, own, cache)
        name, version, place, folder = provider or Provider(absent.path, "", "")
        known = found.get((name, version))
        packages = (*known.packages, absent.path) if known else (absent.path,)
        by = dict.fromkeys((*(known.by if known else ()), *absent.by))
        why, mend = _in_words(absent, name, folder)
        found[name, version] = MissingModule(name, version, packages, tuple(by), why, mend, place)
    return list(found.values())


def required_by(root: Path, folders: Iterable[str], path: str) -> tuple[str, str] | None:
    """(module, version) that a workspace requires for an import path, None where it does not."""
    found = find_provider(root, _read_files(root, folders), "", path)
    return (found.path, found.version) if found else None


def find_provider(
    root: Path, files: Mapping[str, gomod.ModuleFile], cache: str, path: str
) -> Provider | None:
    """The required module that an import path is of."""
    for folder, file in files.items():
        module = gomod.provider_of(path, file.requires)
        if module is None:
            continue
        version = file.requires[module].version
        target, target_version = file.replaced.get(module, (module, version))
        if target.startswith((".", "/")):
            target_folder = root / folder / target
            missing = "" if target_folder.is_dir() else target
            return Provider(module, version, str(target_folder / "go.mod"), missing)
        return Provider(module, version, _zip(cache, target, target_version or version))
    return None


def _read_files(root: Path, folders: Iterable[str]) -> dict[str, gomod.ModuleFile]:
    """The go.mod files of some folders, with what a go.work replaces in all of them."""
    work = root / "go.work"
    replaced = gomod.read_module_file(work.read_bytes()).replaced if work.is_file() else {}
    files = {}
    for folder in folders:
        place = root / gomod.file_of(folder)
        if place.is_file():
            file = gomod.read_module_file(place.read_bytes())
            above = {m: (_from(root, folder, to), v) for m, (to, v) in replaced.items()}
            files["" if folder == "." else folder] = file.with_replaced(above)
    return files


def _from(root: Path, folder: str, target: str) -> str:
    """A replacement of go.work as seen by the module in a folder."""
    return str(root / target) if target.startswith(".") and folder != "." else target


def _named_in(
    why: str, root: Path, files: Mapping[str, gomod.ModuleFile], cache: str
) -> Provider | None:
    """The module that the go command's complaint names, which no go.mod here need require."""
    match = _VERSIONED.search(why)
    if match is None:
        return None
    found = find_provider(root, files, cache, match[1])
    return found or Provider(match[1], match[2], _zip(cache, match[1], match[2]))


def _zip(cache: str, module: str, version: str) -> str:
    return f"{cache}/cache/download/{gomod.escaped(module)}/@v/{version}.zip"


def _in_words(absent: Absent, name: str, folder: str) -> tuple[str, str]:
    """(why it is missing, what mends it)."""
    if folder:
        return f"the folder {folder} that replaces it is not there", "make that folder"
    why = next((said for mark, said in _IN_WORDS if mark in absent.why), absent.why)
    if absent.mend:
        return why, say_mend(" ".join(absent.mend))
    return why, f"send the op add_dependency with module {name}, or run `go get {name}`"
