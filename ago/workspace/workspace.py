"""Workspace: one root, fresh at every request. The facade over files, facts and resident checker.

Invariant: a snapshot shows the disk as of its making: outside edits since the last one are taken in
first, and only what they affect is checked again.
Invariant: nothing changed since the last session means no type-checking and no agocheck at all.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ago.checker.build import build_key, find_agocheck
from ago.checker.checker import CheckResult, TypeOracle
from ago.checker.client import FurtherChecker, Launch, ResidentChecker
from ago.checker.gocmd import Go, find_go
from ago.checker.process import PROTOCOL, CheckerCrashed
from ago.config import Config
from ago.facts import disk
from ago.facts.store import FactsStore, read_meta
from ago.protocol.errors import AgoError, Bug, CheckerUnavailable
from ago.workspace.attention import Attention
from ago.workspace.committed import Committed
from ago.workspace.files import BUILD_FILES, VENDOR_LIST, Entry, FileTable, Folder
from ago.workspace.further import Further
from ago.workspace.generations import Generations
from ago.workspace.intake import Intake, Progress, ReloadNeeded
from ago.workspace.lookout import Lookout
from ago.workspace.missing import Awaited, ModulesArrived
from ago.workspace.oracle import Oracle
from ago.workspace.packages import Graph, read_graph
from ago.workspace.plain import list_graph
from ago.workspace.roots import drop_vanished, facts_folder
from ago.workspace.snapshot import ContextsBehind, DiskMoved, Past, Snapshot, ViewNeeded
from ago.workspace.views import Views

log = logging.getLogger(__name__)

BUILD_AGAIN_S = 300.0
WARM_S = 5.0
"""How long the checker is prepared ahead of the first edit."""
_TRIES = 6
_PAUSE_S = 0.02
"""How often, and after which pause, a disk is looked at again that moved meanwhile."""

T = TypeVar("T")


class Workspace:
    """One root with its facts, its resident checker and its file table."""

    def __init__(
        self,
        root: Path,
        config: Config,
        cache_dir: Path,
        state_dir: Path,
        *,
        env: Mapping[str, str] | None = None,
        progress: Progress | None = None,
        past: Past | None = None,
        tell: Callable[[Sequence[str], Committed | None], None] = lambda files, by: None,
    ) -> None:
        """`cache_dir` is ago's cache home, `state_dir` this root's state folder. Loads nothing.

        `tell` hears which files moved, by what edit (None: by others).
        """
        self._past, self._tell = past or Past(), tell
        self.root = root.resolve()
        self._config, self._cache_dir = config, cache_dir
        self._progress = progress or (lambda phase, done, total: None)
        self.go: Go = find_go(env)
        """The go command of this workspace; its env is the hardened one."""
        self.resident = ResidentChecker(self.root, cache_dir, self._launch)
        """Checker and TypeOracle; starts on its first call, which may raise CheckerUnavailable."""
        self.generations = Generations(state_dir / "generations.db")
        folder = facts_folder(cache_dir, self.root, self.go)
        drop_vanished(cache_dir, folder)
        self._store = FactsStore(folder / "facts.db", f"{PROTOCOL} {build_key(self.go)}")
        self._further = Further(self._store, self.resident, config.contexts)
        self._intake = Intake(self.root, self._store, self.resident, self._progress)
        self.views = Views(
            self._store, lambda view: ResidentChecker(self.root, cache_dir, self._launch, view)
        )
        self._lock, self.writing = threading.RLock(), threading.Lock()  # whole edits hold `writing`
        self._table = FileTable(self.root)
        self.attention = Attention(lambda: self._lookout.watch(), self._look_quietly)
        self._lookout = Lookout(self._table, self.attention.wake)
        self._pending: set[str] = set()
        self._behind: threading.Thread | None = None
        self._version, self._context = 0, ""
        self._entries: Mapping[str, Entry] = {}
        self._graph: Graph | None = None
        self._graph_version = 0
        """The version of the further contexts that the graph shows."""
        self._unbuilt: tuple[CheckerUnavailable, float] | None = None  # why, and until when
        self._awaited = Awaited()
        self._plain_version = -1
        """The version that the graph was listed for when agocheck could not be had."""
        self._loaded = self._recall()

    @property
    def oracle(self) -> TypeOracle:
        """Who answers questions about types, each in the build that it is about."""
        return Oracle(
            self.resident,
            lambda: self._known_graph().views,
            self.views.checker,
            lambda question: self._further.answering(self._known_graph(), question),
        )

    def snapshot(self, mending: bool = False) -> Snapshot:
        """The workspace now; AgoError by the load state when there is nothing to show.

        `mending`: missing dependencies are what is to be mended, so packages without types do.
        """
        if not self.root.is_dir():
            gone = f"the folder of the workspace, {self.root}, is not there any more"
            raise AgoError("no_workspace", gone, "name a folder of a Go module that is there")
        with self._lock:
            self._settle()
            untyped = self._freshen(mending)
            graph = self._graph if untyped and self._graph else self._known_graph()
            if not untyped:
                self._further.look(graph, self._entries)
            return Snapshot(
                self.root, self._version, self._entries, graph, self._context,
                None if untyped else self._store.borrow(), untyped, self.generations,
                self._config.budget_tokens, self._store.give_back, self._past,
                self._lookout.relies_on_watcher, self._further.reach(graph),
            )  # fmt: skip

    def reading(self, answer: Callable[[Snapshot], T], *, mending: bool = False) -> T:
        """Answer from a snapshot; again from a newer one when the disk moves under it."""
        for _ in range(_TRIES - 1):
            try:
                with self.snapshot(mending) as snapshot:
                    return answer(snapshot)
            except ContextsBehind as behind:
                self._further.wait(behind.contexts)
                continue
            except DiskMoved as moved:
                self._lookout.suspects.add(moved.path)
            except ViewNeeded as needed:
                self._load_view(needed.folder)
                continue
            except ModulesArrived:
                continue
            time.sleep(_PAUSE_S)
        with self.snapshot(mending) as snapshot:
            return answer(snapshot)

    def builds(
        self,
        snapshot: Snapshot,
        changes: Mapping[str, tuple[bytes | None, bytes | None]],
        own: CheckResult,
    ) -> Sequence[FurtherChecker]:
        """The further build contexts that an edit of some files (before, after) concerns by the
        own build's word on it. Raises ContextsBehind while one of them is being checked."""
        names = self._further.concerned(snapshot.graph, changes, own.reaches, own.elsewhere)
        if behind := snapshot.reach.pending.intersection(names):
            raise ContextsBehind(tuple(sorted(behind)))
        return [self._further.checker(name) for name in names]

    def go_commands(self, paths: Sequence[str]) -> list[tuple[str, Go]]:
        """The further contexts that an edit of some files concerns, with the go command there."""
        graph = self._graph
        names = self._further.concerned(graph, dict.fromkeys(paths, (b"", b""))) if graph else ()
        return [(name, self._further.checker(name).go(self.go)) for name in names]

    def advance(
        self,
        receipt: Committed,
        on_disk: Mapping[str, bytes | None],
        contexts: Collection[str] | None = None,
    ) -> None:
        """Take in our own commit: the file table at once, the facts behind the answer.

        `contexts` are the further contexts that it concerns, None when nobody knows.
        """
        with self._lock:
            self._settle()
            if self._loaded:
                self._further.mark(self._known_graph(), on_disk, contexts)
            for path, text in on_disk.items():
                self._table.record(path, text)
            self._moved()
            self._pending |= on_disk.keys()
            self._tell(sorted(on_disk), receipt)
            # Where the build itself moved nothing less than a load tells what it made of the code.
            kept = not any(_steers_build(path) for path in on_disk)
            if receipt.token and kept and self._pending <= on_disk.keys():
                name = f"facts of {self.root.name}"
                work = threading.Thread(target=self._advance, args=(receipt.token,), name=name)
                self._behind = work
                work.start()

    def _load_view(self, folder: str) -> None:
        with self._lock:
            for view in self._known_graph().views:
                if view.dir == folder:
                    self.views.load(view)
            self._graph = None

    def start(self) -> None:
        """Have the resident checker run and loaded; CheckerUnavailable when there can be none."""
        if not self.resident.running:
            self.resident.load()

    def warm(self, ended: Callable[[], bool]) -> None:
        """Get the resident checker ready, in small steps, so that the first edit waits for less."""
        self.start()
        until = time.monotonic() + WARM_S
        while self.resident.running and time.monotonic() < until and not ended():
            if not self.resident.prepare():
                return

    @property
    def state(self) -> dict[str, str]:
        """Figures for status and doctor: facts file, Go, agocheck process."""
        return {
            "go": self.go.version,
            "facts": str(self._store.path),
            "agocheck_pid": str(self.resident.pid),
        }

    def close(self) -> None:
        """End the checker and the watcher; what is known stays for the next session."""
        self.attention.stop()
        with self._lock:
            with contextlib.suppress(AgoError, Bug):
                self._settle()
            self._further.close()
            self._lookout.close()
            if self._loaded and not self._pending and self._table.unsaved:
                with contextlib.suppress(AgoError, sqlite3.Error):
                    self._intake.save_table(self._table)
            self.resident.close()
            self.views.close()
            self._further.join()
            self._store.close()
            self.generations.close()

    def _launch(self) -> Launch:
        def say(text: str) -> None:
            self._progress(text, 0, 0)

        # A build that fails takes seconds and fails again: not at every request.
        if self._unbuilt and time.monotonic() < self._unbuilt[1]:
            raise self._unbuilt[0]
        try:
            return Launch(find_agocheck(self.go, self._cache_dir, say), self.go.env)
        except CheckerUnavailable as error:
            self._unbuilt = error, time.monotonic() + BUILD_AGAIN_S
            raise

    def _recall(self) -> bool:
        """Read what the last session left; False when there is nothing to go on from."""
        with self._store.transaction() as db:
            if not read_meta(db, "loaded"):
                return False
            for path, mtime, ctime, size, inode, at, digest, generated in disk.read_files(db):
                entry = Entry(mtime, ctime, size, inode, at, digest, bool(generated))
                self._table.files[path] = entry
            for path, mtime, at in disk.read_folders(db):
                self._table.folders[path] = Folder(mtime, at)
        self._moved()
        return True

    def _freshen(self, mending: bool) -> str:
        """Take in what moved; why there are no types, "" when there are."""
        moved, restamped = self._lookout.look()
        if restamped:
            self._moved()
        try:
            self._take_in(moved)
        except CheckerCrashed:
            raise
        except AgoError as error:
            missing = mending and error.key == "dependencies_missing"
            if not missing and not isinstance(error, CheckerUnavailable):
                raise
            if self._graph is None or self._plain_version != self._version:
                self._graph, self._plain_version = list_graph(self.go, self.root), self._version
            return error.message
        return ""

    def modules_arrived(self) -> bool:
        """Whether a module that the loaded build lacks is here now: nothing else would tell."""
        graph = self._known_graph() if self._loaded else None
        return graph is not None and self._awaited.have_come(graph, graph.missing_modules)

    def _look_quietly(self) -> None:
        with self.writing:  # half an edit of our own is not what others did
            self.snapshot().close()

    def _take_in(self, moved: set[str], tries: int = _TRIES) -> None:
        """Bring facts and graph up to the file table; what fails stays pending."""
        if moved and self._version:
            self._tell(sorted(moved), None)
        if moved or not self._version:
            self._moved()
        self._pending |= moved
        if not self._loaded or any(map(_steers_build, self._pending)) or self.modules_arrived():
            self._follow(self._load())
        elif self._pending:
            self._refresh(moved)
            if self._pending and tries:
                time.sleep(_PAUSE_S)
                self._take_in(set(self._table.verify(sorted(self._pending)).all), tries - 1)

    def _refresh(self, moved: set[str]) -> None:
        """What agocheck read while the disk moved on stays pending."""
        before, paths = self._known_graph(), sorted(self._pending)
        self._further.mark(before, moved)
        try:
            done = self._intake.refresh(paths, self._table)
        except ReloadNeeded:
            self._follow(self._load())
            return
        self._follow(done.anew)
        self._pending |= done.strays
        self._further.spare(before, self._known_graph(), paths, done.apis)

    def _load(self) -> bool:
        self._further.forget()
        self._intake.load_all(self._table)
        self._loaded = True
        self._table.take_in(self._intake.foreign_folders())
        self._moved()
        return True

    def _follow(self, again: bool) -> None:
        """The facts of the root's build are up to date: those of the views follow."""
        moved = set(self._pending)
        self._pending.clear()
        self._graph = None
        if self.views.follow(self._known_graph(), moved, again=again):
            self._graph = None
        if again:
            self._awaited.begin(self._known_graph().missing_modules())

    def _moved(self) -> None:
        self._version += 1
        self._entries = dict(self._table.files)

    def _known_graph(self) -> Graph:
        version = self._further.version
        if self._graph is None or version != self._graph_version:
            self._graph_version = version
            self._read_graph()
        assert self._graph
        return self._graph

    def _read_graph(self) -> None:
        reader = self._store.borrow()
        try:
            self._graph = read_graph(reader, str(self.root))
            number = read_meta(reader, "context")
            goos, goarch, tags = reader.execute(
                "SELECT goos, goarch, tags FROM context WHERE id = ?", (number,)
            ).fetchone()
        finally:
            self._store.give_back(reader)
        self._context = ",".join(filter(None, (f"{goos}/{goarch}", tags)))

    def _advance(self, token: str) -> None:
        """Behind the answer: facts of a committed candidate; a failure leaves them pending."""
        try:
            if self._intake.advance(token, self._table):
                self._follow(again=False)
            self._graph = None
            self._further.look(self._known_graph(), self._entries)
            self.resident.trim(self._config.memory_mb)
        except (AgoError, Bug, sqlite3.Error, OSError) as error:
            log.warning("facts of the edit come with the next request: %s", error)

    def _settle(self) -> None:
        """Wait for the facts of our last commit."""
        if self._behind is not None:
            self._behind.join()
            self._behind = None


def _steers_build(path: str) -> bool:
    return path == VENDOR_LIST or os.path.basename(path) in BUILD_FILES  # noqa: PTH119
