# ruff: noqa: PTH110, PTH116, PTH118, PTH120, PTH123 - thousands of paths at every request: strings
"""The file table: what lies on the disk, and what moved since the last look.

Invariant: a change of a file's bytes that a stat can show is found by the next sweep; a file so
young that a second write would not show is read again.
Invariant: only Go files and the files that steer the build are watched; folders that the go command
never looks into are not entered.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

BUILD_FILES = frozenset({"go.mod", "go.sum", "go.work", "go.work.sum"})
VENDOR_LIST = "vendor/modules.txt"
"""The one file below a vendor folder that is looked at: it moves with the rest."""
SKIPPED_FOLDERS = frozenset({"testdata", "node_modules", "vendor"})
_YOUNG_NS = 50_000_000
"""Clocks of file systems tick up to 10 ms: a write this soon after a read may not move the time."""
_GENERATED = re.compile(rb"^// Code generated .* DO NOT EDIT\.\r?$", re.MULTILINE)
_PACKAGE = re.compile(rb"^package\s", re.MULTILINE)


class Entry(NamedTuple):
    """One file as it was when it was last read."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int
    read_ns: int
    hash: str
    generated: bool


class Folder(NamedTuple):
    """One folder as it was when it was last listed."""

    mtime_ns: int
    read_ns: int


@dataclass(frozen=True)
class Moves:
    """What a look at the disk found, sorted: files whose bytes differ, appeared or vanished."""

    changed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Every path that moved."""
        return tuple(sorted({*self.changed, *self.created, *self.deleted}))

    def __bool__(self) -> bool:
        """Whether anything moved."""
        return bool(self.changed or self.created or self.deleted)


@dataclass
class FileTable:
    """The files below one root; the caller serialises access.

    Paths are relative to the root, those of folders outside of it too: modules that the build takes
    from elsewhere on the disk.
    """

    root: Path
    files: dict[str, Entry] = field(default_factory=dict)
    folders: dict[str, Folder] = field(default_factory=dict)
    unsaved: set[str] = field(default_factory=set)
    """Files whose entry moved since it was last stored."""
    unsaved_folders: set[str] = field(default_factory=set)

    def sweep(self) -> Moves:
        """Look at every known file and folder (and new ones) and take in what moved."""
        seen: set[str] = set()
        suspects: list[str] = []
        for folder in list(self.folders) or [""]:
            self._list_if_moved(folder, seen)
        prefix = f"{self.root}{os.sep}"
        for path, entry in self.files.items():
            try:
                found = os.stat(prefix + path)
            except OSError:
                suspects.append(path)
                continue
            if _moved(entry, found):
                suspects.append(path)
        if VENDOR_LIST not in self.files and os.path.exists(prefix + VENDOR_LIST):
            seen.add(VENDOR_LIST)
        return self.verify([*suspects, *sorted(seen - self.files.keys())])

    def verify(self, paths: Iterable[str]) -> Moves:
        """Look at these paths alone (known or not) and take in what moved."""
        changed, created, deleted = [], [], []
        for path in paths:
            before, after = self.files.get(path), self._examine(path)
            if after is None:
                if before is not None:
                    self._put(path, None)
                    deleted.append(path)
                continue
            self._put(path, after)
            if before is None:
                created.append(path)
            elif before.hash != after.hash:
                changed.append(path)
        return Moves(tuple(sorted(changed)), tuple(sorted(created)), tuple(sorted(deleted)))

    def take_in(self, folders: Iterable[str]) -> None:
        """Know folders outside the root from now on, as they are."""
        seen: set[str] = set()
        for folder in folders:
            if folder not in self.folders:
                self._list_if_moved(folder, seen)
        self.verify(sorted(seen))

    def outside(self) -> list[str]:
        """The known folders that no watcher of the root hears of."""
        return [folder for folder in self.folders if is_outside(folder)]

    def verify_folders(self, folders: Iterable[str]) -> Moves:
        """List these folders again and look at what they hold and held."""
        seen: set[str] = set()
        wanted = set(folders)
        for folder in wanted:
            self.folders.pop(folder, None)
            self._list_if_moved(folder, seen)
        held = {p for p in self.files if os.path.dirname(p) in wanted}
        return self.verify(sorted(seen | held))

    def record(self, path: str, text: bytes | None) -> None:
        """Take in our own write: `text` is what the disk holds now, None when it was deleted."""
        if not is_watched(path.rpartition("/")[2]) and path not in self.files:
            return
        if text is None:
            self._put(path, None)
            return
        entry = self._examine(path)
        # Other bytes than ours are an outside edit already: the next look tells of it.
        if entry is not None and entry.hash == hash_bytes(text):
            self._put(path, entry)
        self.folders.setdefault(os.path.dirname(path), Folder(0, 0))

    def hashes(self) -> Mapping[str, str]:
        """path -> content hash of every file, as of the last look."""
        return {path: entry.hash for path, entry in self.files.items()}

    def _put(self, path: str, entry: Entry | None) -> None:
        self.unsaved.add(path)
        if entry is None:
            self.files.pop(path, None)
        else:
            self.files[path] = entry

    def _list_if_moved(self, folder: str, seen: set[str]) -> None:
        """List a folder whose time moved (or that is young) and enter folders that are new."""
        before = self.folders.get(folder)
        absolute = os.path.join(self.root, folder) if folder else str(self.root)
        try:
            mtime = os.stat(absolute).st_mtime_ns
        except OSError:
            self.folders.pop(folder, None)
            self.unsaved_folders.add(folder)
            return
        if before and before.mtime_ns == mtime and mtime < before.read_ns - _YOUNG_NS:
            return
        self.folders[folder] = Folder(mtime, time.time_ns())
        self.unsaved_folders.add(folder)
        for name, is_folder in _list(absolute):
            path = f"{folder}/{name}" if folder else name
            if not is_folder:
                seen.add(path)
            elif path not in self.folders:
                self._list_if_moved(path, seen)

    def _examine(self, path: str) -> Entry | None:
        """Read a file; None when there is none (any more)."""
        absolute = os.path.join(self.root, path)
        now = time.time_ns()
        try:
            with open(absolute, "rb") as handle:
                found = os.fstat(handle.fileno())
                if not stat.S_ISREG(found.st_mode):
                    return None
                text = handle.read()
        except OSError:
            return None
        return Entry(
            found.st_mtime_ns,
            found.st_ctime_ns,
            found.st_size,
            found.st_ino,
            now,
            hash_bytes(text),
            path.endswith(".go") and is_generated(text),
        )


def is_outside(path: str) -> bool:
    """Whether a path, relative to the root or absolute, leads to a place outside of it."""
    return path.startswith(("../", "/"))


def find_strays(read: Mapping[str, str], files: Mapping[str, Entry]) -> set[str]:
    """The files that somebody read (path -> content hash, "" for none) as the table does not have
    them: the disk has moved on since, or was in the middle of a move."""
    return {path for path in read if path in files and read[path] != files[path].hash}


def hash_bytes(text: bytes) -> str:
    """16 hex digits of the SHA-256: the content hash of facts and file table."""
    return hashlib.sha256(text).hexdigest()[:16]


def is_generated(text: bytes) -> bool:
    """Whether a Go file carries the standard `Code generated` line before its package clause."""
    clause = _PACKAGE.search(text)
    return _GENERATED.search(text, 0, clause.start() if clause else len(text)) is not None


def is_moved(entry: Entry, file: Path) -> bool:
    """Whether a file's signature is another one than when it was last read."""
    try:
        return _differs(entry, file.stat())
    except OSError:
        return True


def is_watched(name: str) -> bool:
    """Whether a file of this base name is in the table."""
    if name in BUILD_FILES:
        return True
    return name.endswith(".go") and name[0] not in "._"


def read_below(root: Path, folder: str) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of every file in a folder and the folders in it, watched or not."""
    for held, _, names in os.walk(os.path.join(root, folder)):
        for name in names:
            absolute = os.path.join(held, name)
            with open(absolute, "rb") as handle:
                yield os.path.relpath(absolute, root), handle.read()


def _list(absolute: str) -> Iterator[tuple[str, bool]]:
    """(name, is a folder) of what a folder holds, of use to the go command."""
    try:
        with os.scandir(absolute) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    if name[0] not in "._" and name not in SKIPPED_FOLDERS:
                        yield name, True
                elif is_watched(name):
                    yield name, False
    except OSError:
        return


def _moved(entry: Entry, found: os.stat_result) -> bool:
    return _differs(entry, found) or found.st_ctime_ns >= entry.read_ns - _YOUNG_NS


def _differs(entry: Entry, found: os.stat_result) -> bool:
    return (
        entry.mtime_ns != found.st_mtime_ns
        or entry.ctime_ns != found.st_ctime_ns
        or entry.size != found.st_size
        or entry.inode != found.st_ino
    )
