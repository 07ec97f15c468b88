"""The files that set-up writes: read, compared, written whole, and what is remembered of them.

Invariant: all of a plan is made before the first file is written; a file is written atomically.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ago.protocol.errors import AgoError


@dataclass
class Plan:
    """What files will hold; None is no file. Reading through it sees what it holds already."""

    root: Path
    home: Path
    wanted: dict[Path, str | None] = field(default_factory=dict)
    before: dict[Path, bytes | None] = field(default_factory=dict)

    def read(self, path: Path) -> str:
        """A file's text as it would be, "" where there is none; raises AgoError."""
        if path not in self.wanted:
            data = self._load(path)
            try:
                self.wanted[path] = None if data is None else data.decode("utf-8")
            except UnicodeDecodeError:
                raise AgoError(
                    "config_unreadable", f"{self.shown(path)} is not UTF-8", "convert or move it"
                ) from None
        return self.wanted[path] or ""

    def edit(self, path: Path, text: str) -> None:
        """Let a file hold `text`; an empty text is no file."""
        self.read(path)
        self.wanted[path] = text or None

    def put_back(self, path: Path, data: bytes | None) -> None:
        """Let a file be what it was."""
        self._load(path)
        self.wanted[path] = None if data is None else data.decode("utf-8")

    def changes(self) -> dict[Path, tuple[bytes | None, bytes | None]]:
        """(before, after) of every file that differs."""
        after = {p: None if t is None else t.encode() for p, t in self.wanted.items()}
        return {p: (self.before[p], new) for p, new in after.items() if new != self.before[p]}

    def shown(self, path: Path) -> str:
        """A path as people read it."""
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return f"~/{path.relative_to(self.home).as_posix()}"

    def _load(self, path: Path) -> bytes | None:
        if path not in self.before:
            inside = self.root if path.is_relative_to(self.root) else self.home
            if not path.resolve().is_relative_to(inside.resolve()):
                message = f"{self.shown(path)} leads to {path.resolve()}"
                raise AgoError("outside_root", message, "replace the link, or wire it by hand")
            try:
                self.before[path] = path.read_bytes()
            except FileNotFoundError:
                self.before[path] = None
            except OSError as error:
                message = f"{self.shown(path)}: {error.strerror}"
                raise AgoError("config_unreadable", message, "make it readable") from None
        return self.before[path]


class Record:
    """What init has written in one workspace, so that it can be taken out again byte for byte."""

    def __init__(self, file: Path) -> None:
        """Read the record, an empty one where there is none."""
        self._file = file
        self._rows: dict[str, dict[str, str | None]] = {}
        with suppress(OSError, ValueError):
            self._rows = json.loads(file.read_text())

    def __contains__(self, path: Path) -> bool:
        """Whether init has written this file."""
        return str(path) in self._rows

    def original(self, path: Path, now: bytes | None) -> tuple[bool, bytes | None]:
        """(whether the file is as init left it, what it was before init)."""
        row = self._rows.get(str(path))
        if row is None or row["after"] != _digest(now):
            return False, None
        kept = row["before"]
        return True, None if kept is None else base64.b64decode(kept)

    def note(self, path: Path, before: bytes | None, after: bytes | None) -> None:
        """Remember one more write; what the first of several in a row found stays what was.

        Where somebody wrote in between, no earlier bytes are the right ones any more.
        """
        ours, first = self.original(path, before)
        if path in self and not ours:
            self.forget([path])
            return
        old = first if ours else before
        kept = None if old is None else base64.b64encode(old).decode()
        self._rows[str(path)] = {"after": _digest(after), "before": kept}

    def forget(self, paths: Iterable[Path]) -> None:
        """These files are no longer ours."""
        for path in paths:
            self._rows.pop(str(path), None)

    def save(self) -> None:
        """Keep the record, or drop it when it is empty; a lost one only costs exactness."""
        with suppress(OSError):
            if self._rows:
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_file(self._file, json.dumps(self._rows).encode())
            else:
                self._file.unlink(missing_ok=True)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def write_changes(plan: Plan) -> None:
    """Bring the disk to what the plan wants, folders that become empty included."""
    for path, (_, after) in plan.changes().items():
        try:
            if after is None:
                path.unlink(missing_ok=True)
                _drop_folders(path.parent, plan)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path.resolve(), after)
        except OSError as error:
            message = f"{plan.shown(path)}: {error.strerror}"
            raise AgoError("not_writable", message, "make it writable and run it again") from None


def _drop_folders(folder: Path, plan: Plan) -> None:
    """Drop folders that are empty now, below the root and the home."""
    with suppress(OSError):
        while folder not in (plan.root, plan.home):
            folder.rmdir()
            folder = folder.parent


def write_file(path: Path, data: bytes) -> None:
    """Replace or make a file in one step, keeping its mode."""
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".ago-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
