"""Background confirmation: the toolchain's word on accepted edits, one at a time, lowest priority.

Invariant: pinned: the files are the same before and after a run, or its result is thrown away.
Invariant: `contradicted` is said only after a second run with the edit alone on its own base.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

from ago.checker.checker import CheckResult
from ago.checker.gocmd import Go
from ago.checker.toolchain import Toolchain, compare
from ago.gate.baseline import subtract
from ago.protocol.errors import AgoError
from ago.stages import Confirmation
from grammar_ops.linediff import diff_pieces

log = logging.getLogger(__name__)

_SETTLE_S = 1.0
"""An edit seldom comes alone: wait until none came for so long."""
_LIMIT_S = 120.0
_NICE = 19


class EditFile(Protocol):
    """One file of an accepted edit; None = absent."""

    @property
    def path(self) -> str:
        """Workspace-relative path."""

    @property
    def before(self) -> bytes | None:
        """Its bytes before the edit."""

    @property
    def after(self) -> bytes | None:
        """Its bytes after the edit."""


class Edit(Protocol):
    """What has to be known of an accepted edit."""

    @property
    def undone_by(self) -> int:
        """Number of the edit that took it back, 0 when none did."""

    @property
    def paths(self) -> Sequence[str]:
        """Paths of its files."""

    @property
    def files(self) -> Sequence[EditFile]:
        """Its files."""


class EditLog(Protocol):
    """Where accepted edits are kept (the history)."""

    def find(self, n: int) -> Edit | None:
        """One edit, None when it is no longer kept."""

    def confirm(self, n: int, state: str, detail: str = "") -> None:
        """Store what was found of an edit."""

    def pending(self) -> list[int]:
        """Numbers of the edits that wait, oldest first."""


class Confirmer:
    """Follows accepted edits up in a thread of its own."""

    def __init__(
        self,
        root: Path,
        go: Go,
        history: EditLog,
        mode: Literal["background", "off"],
        further: Callable[[Sequence[str]], Sequence[tuple[str, Go]]] = lambda _: (),
    ) -> None:
        """Starts its thread with the first edit that waits. `further` names the build contexts that
        an edit of some files concerns beside the own one."""
        self._further = further
        self._root, self._history, self._off = root, history, mode == "off"
        self._stop = threading.Event()
        self._toolchain = Toolchain(root, go, timeout=_LIMIT_S, nice=_NICE, stop=self._stop)
        self._turn = threading.Condition()
        self._waiting: list[int] = []
        self._requests = 0
        self._closed = False
        self._thread: threading.Thread | None = None
        self._news: list[tuple[int, str]] = []

    def follow(self, edit: int) -> Confirmation:
        """Take an accepted edit into the queue; its state for the answer."""
        if self._off:
            self._history.confirm(edit, "off")
            return "off"
        with self._turn:
            self._waiting.append(edit)
            if self._thread is None:
                # What an earlier session left pending comes first.
                self._waiting = self._history.pending()
                self._thread = threading.Thread(target=self._work, name="confirm", daemon=True)
                self._thread.start()
            self._turn.notify_all()
        return "pending"

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Let a request have the machine: a run in progress is stopped and taken up later."""
        with self._turn:
            self._requests += 1
            self._stop.set()
        try:
            yield
        finally:
            with self._turn:
                self._requests -= 1
                self._turn.notify_all()

    def take_news(self) -> list[tuple[int, str]]:
        """(edit, detail) of contradicted edits that no response has told of yet."""
        with self._turn:
            news, self._news = self._news, []
        return news

    def close(self) -> None:
        """Stop what runs; what waits stays pending in the history."""
        with self._turn:
            self._closed = True
            self._stop.set()
            self._turn.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _work(self) -> None:
        while (edit := self._next()) is not None:
            try:
                state, detail = self._confirm(edit)
            except AgoError as error:
                if error.key == "go_stopped":
                    self._put_back(edit)
                    continue
                state, detail = "unconfirmed", error.message
            except OSError as error:
                state, detail = "unconfirmed", str(error)
            if state:
                self._history.confirm(edit, state, detail)
                self._tell(edit, state, detail)
            else:
                self._put_back(edit)

    def _next(self) -> int | None:
        """The oldest waiting edit, once no request has come for a while; None at the end."""
        with self._turn:
            while not self._closed:
                quiet = not self._turn.wait(timeout=_SETTLE_S if self._waiting else None)
                if quiet and self._waiting and not self._requests and not self._closed:
                    self._stop.clear()
                    return self._waiting.pop(0)
        return None

    def _put_back(self, edit: int) -> None:
        with self._turn:
            self._waiting.insert(0, edit)

    def _tell(self, edit: int, state: str, detail: str) -> None:
        if state == "contradicted":
            with self._turn:
                self._news.append((edit, detail))

    def _confirm(self, number: int) -> tuple[Confirmation | None, str]:
        """State and detail of one edit; None when the tree moved under the run."""
        edit = self._history.find(number)
        if edit is None or edit.undone_by:
            return "unconfirmed", "taken back before the toolchain saw it"
        if any(_read(self._root / f.path) != f.after for f in edit.files):
            return "unconfirmed", "a later edit changed its files before the toolchain saw them"
        held: set[str] = set()
        state, detail = self._seen_by(self._toolchain, edit, held)
        for name, go in self._further(edit.paths) if state == "confirmed" else ():
            apart = Toolchain(
                self._root, go, timeout=_LIMIT_S, nice=_NICE, stop=self._stop, apart=True
            )
            there, said = self._seen_by(apart, edit, held)
            if there != "confirmed":
                return there, f"{name}: {said}" if there else ""
        left = [file.path for file in edit.files if self._is_elsewhere(file, held)]
        if left and state == "confirmed":
            return "unconfirmed", f"not in the build of the root: {', '.join(left)}"
        return state, detail

    def _is_elsewhere(self, file: EditFile, held: set[str]) -> bool:
        """Whether no package that was judged holds a file, as in a module of its own."""
        folder = str((self._root / file.path).parent)
        return file.path.endswith(".go") and file.after is not None and folder not in held

    def _seen_by(
        self, toolchain: Toolchain, edit: Edit, held: set[str]
    ) -> tuple[Confirmation | None, str]:
        """What one build says of an edit; the folders of its packages join `held`."""
        folders = toolchain.targets(edit.paths).folders
        held.update(folders)
        pin = _pin(folders)
        after = toolchain.examine({}, edit.paths)
        if not after.has_errors() and not after.warnings and not after.below:
            return ("confirmed", "") if _pin(folders) == pin else (None, "")
        result = _alone(toolchain, edit)
        if _pin(folders) != pin:
            return None, ""
        return _verdict(edit, result)


def _alone(toolchain: Toolchain, edit: Edit) -> CheckResult:
    """The edit judged as the only difference to its own base."""
    after = toolchain.examine({f.path: f.after for f in edit.files}, edit.paths)
    before = toolchain.examine({f.path: f.before for f in edit.files}, edit.paths)
    return compare(after, before)


def _verdict(edit: Edit, result: CheckResult) -> tuple[Confirmation, str]:
    pieces = {f.path: diff_pieces(f.before or b"", f.after or b"") for f in edit.files}
    found = subtract(result.units, pieces, {})
    if found.new:
        first = found.new[0]
        return "contradicted", f"{first.file}:{first.line}:{first.col}: {first.msg}"
    if result.unproven:
        return "unconfirmed", "; ".join(result.unproven)
    findings = "; ".join(f"{w.file}:{w.line}:{w.col}: {w.msg}" for w in result.warnings)
    return "confirmed", f"go vet: {findings}" if findings else ""


def _pin(folders: Iterable[str]) -> str:
    """A hash over name and bytes of every Go file in some folders."""
    digest = hashlib.sha256()
    for folder in sorted(folders):
        for path in sorted(Path(folder).glob("*.go")):
            digest.update(str(path).encode() + b"\0" + (_read(path) or b"") + b"\0")
    return digest.hexdigest()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
