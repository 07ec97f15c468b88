"""A snapshot: the workspace as one request sees it, from its first question to its answer.

Invariant: files, graph and facts of a snapshot are of one moment; nothing moves them.
Invariant: a snapshot reads on its own connection and waits for no gate and no writer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from ago.protocol.errors import Busy, CheckerUnavailable
from ago.workspace.contexts import Reach, list_uncovered
from ago.workspace.files import Entry, hash_bytes, is_moved
from ago.workspace.generations import Generations
from ago.workspace.packages import Graph
from grammar_ops.scope import PackageInfo
from grammar_ops.syntax.decls import find_decl
from grammar_ops.syntax.parse import parse


class DiskMoved(Busy):
    """A file changed on the disk after the snapshot was taken: take another one."""

    def __init__(self, path: str) -> None:
        super().__init__("disk_moved", f"{path} changed while it was read", "send it again")
        self.path = path


class ViewNeeded(Busy):
    """A request speaks of a view that is not loaded: load it, and take another snapshot."""

    def __init__(self, folder: str) -> None:
        super().__init__("view_needed", f"the module in {folder} is not loaded", "send it again")
        self.folder = folder


class ContextsBehind(Busy):
    """Facts of further build contexts that an edit needs are still being made."""

    def __init__(self, contexts: tuple[str, ...]) -> None:
        names = ", ".join(contexts)
        super().__init__("contexts_pending", f"{names} is still being checked", "send it again")
        self.contexts = contexts


@dataclass(frozen=True)
class Past:
    """What the log of accepted edits knows."""

    renamed_to: Callable[[str, str], str] = lambda pkg, sym: ""
    """(pkg, sym) -> what an edit renamed it to, "" when none did."""
    texts_after: Callable[[int], Mapping[str, bytes | None] | None] = lambda edit: None
    """Edit number -> what the files that edits wrote held after it; None where it is not kept."""


@dataclass
class Snapshot:
    """Files, packages and facts at one moment; close it (or leave its `with`) when done."""

    root: Path
    version: int
    entries: Mapping[str, Entry]
    graph: Graph
    context: str
    """The loaded build context, as `linux/amd64`."""
    reader: sqlite3.Connection | None
    """None where no checker could be had: the graph is the go command's, facts there are none."""
    why_untyped: str
    generations: Generations
    budget_tokens: int
    """How long an answer may be when the request does not say."""
    release: Callable[[sqlite3.Connection], None]
    past: Past = field(default_factory=Past)
    watched: bool = False
    """The files were not swept: a watcher said that nothing moved, and may be a little late."""
    reach: Reach = field(default_factory=Reach)
    """The further build contexts."""
    _texts: dict[str, bytes] = field(default_factory=dict)

    @property
    def facts(self) -> sqlite3.Connection:
        """A reading connection; CheckerUnavailable when there are no facts."""
        if self.reader is None:
            raise CheckerUnavailable(
                "checker_unavailable",
                f"typed questions need agocheck: {self.why_untyped}",
                "run `ago doctor`; views and edits work through the go command",
            )
        return self.reader

    @property
    def typed(self) -> bool:
        """Whether there are facts."""
        return self.reader is not None

    def read(self, path: str) -> bytes | None:
        """The bytes of a file as the facts know it, None when there is none; raises DiskMoved."""
        entry = self.entries.get(path)
        if entry is None:
            return None
        if path not in self._texts:
            try:
                text = (self.root / path).read_bytes()
            except OSError:
                text = None
            if text is None or hash_bytes(text) != entry.hash:
                raise DiskMoved(path)
            self._texts[path] = text
        return self._texts[path]

    def find(self, path: str) -> bytes | None:
        """The bytes of any file below the root: those that the facts do not know as they lie on
        the disk; None when there is none."""
        if path in self.entries:
            return self.read(path)
        place = self.root / path
        # A link that leads out, or a pipe, is no file of the workspace.
        if not place.is_file() or not place.resolve().is_relative_to(self.root.resolve()):
            return None
        return place.read_bytes()

    def verify(self, paths: Iterable[str]) -> None:
        """Make sure of the files that an answer names; raises DiskMoved. After a sweep they are."""
        if not self.watched:
            return
        for path in sorted(set(paths)):
            entry = self.entries.get(path)
            if entry is None or is_moved(entry, self.root / path):
                raise DiskMoved(path)

    def files(self) -> Mapping[str, Entry]:
        """Every watched file by path."""
        return self.entries

    def packages(self) -> Mapping[str, PackageInfo]:
        """Every workspace package by import path, sorted."""
        return self.graph.packages

    def package(self, pkg: str) -> PackageInfo | None:
        """A workspace package; the external test package `p_test` is its package's."""
        found = self.graph.packages.get(pkg)
        return found or self.graph.packages.get(pkg.removesuffix("_test"))

    def need_view(self, *texts: str) -> None:
        """Raise ViewNeeded where one of some texts speaks of a view that nobody asked for yet."""
        for view in self.graph.views:
            if self.typed and not view.state and any(view.owns(text) for text in texts):
                raise ViewNeeded(view.dir)

    def is_generated(self, path: str) -> bool:
        """Whether a file says that it is generated."""
        entry = self.entries.get(path)
        return entry is not None and entry.generated

    def uncovered(self) -> tuple[str, ...]:
        """The Go files that no checked context compiles."""
        return list_uncovered(self.graph, self.entries)

    def await_contexts(self, pkgs: Iterable[str]) -> None:
        """Make sure of the facts that further contexts have of some packages, or that import them;
        raises ContextsBehind."""
        for pkg in pkgs:
            if behind := self.pending_for(pkg):
                raise ContextsBehind(tuple(behind))

    def pending_for(self, pkg: str) -> list[str]:
        """The contexts that may know more of a package, once they are checked."""
        concerned = self.reach.concerned(self.graph, [pkg]) if self.reach.pending else ()
        return sorted(self.reach.pending.intersection(concerned))

    def generation(self, pkg: str, sym: str, path: str) -> int:
        """The generation of a declaration of a file, 0 when it is not there."""
        text = self.read(path)
        decl = find_decl(parse(text), text, sym, path) if text is not None else None
        if text is None or decl is None:
            return 0
        return self.generations.current(pkg, sym, text[slice(*decl.full_span)])

    def close(self) -> None:
        """Give the connection back; the snapshot answers nothing typed any more."""
        if self.reader is not None:
            self.release(self.reader)
            self.reader = None
            self.why_untyped = "the snapshot is closed"

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
