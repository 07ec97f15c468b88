"""The resident checker: agocheck behind the Checker and TypeOracle protocols.

Invariant: the process is started and loaded on first need and again after a crash, never sooner;
a call that it crashed in is answered with CheckerCrashed, the next one works.
Invariant: nothing here knows of facts or of the gate; results leave as values.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from ago.checker.calls import Calls, OnEvent, decode_check, encode_check
from ago.checker.checker import CheckRequest, CheckResult
from ago.checker.gocmd import Go, say_mend
from ago.checker.process import Process, WireError
from ago.checker.results import ContextsResult, FurtherContext, LoadResult, MemoryResult
from ago.protocol.errors import AgoError, CheckerUnavailable
from grammar_ops.reject import Json

_CRASH_LIMIT = 5
PORTION_MS = 40
"""How long a call may have to wait for work that is done ahead."""


@dataclass(frozen=True)
class Launch:
    """How to start agocheck."""

    binary: Path
    env: Mapping[str, str]


class ResidentChecker(Calls):
    """Client of one agocheck process for one root."""

    def __init__(
        self, root: Path, cache_dir: Path, launch: Callable[[], Launch], view: str = ""
    ) -> None:
        """Start nothing yet; `launch` finds (or builds) the program when it is first needed.

        `view` is the folder of a module below the root whose build is meant, "" for the root's.
        """
        self._root, self._cache_dir, self._launch, self._view = root, cache_dir, launch, view
        self._process: Process | None = None
        self._starting = threading.RLock()
        self._starts = 0
        self.loaded: LoadResult | None = None
        """The graph that the running process answered with, None before it is loaded."""
        self.elsewhere: Sequence[str] = ()
        """Files of other builds, for `check` to say which of them mention something changed."""

    @property
    def running(self) -> bool:
        """Whether a loaded process can be asked without starting one."""
        return self._process is not None and self._process.alive and self.loaded is not None

    @property
    def place(self) -> dict[str, Json]:
        """What a load has to know of this machine."""
        return {
            "root": str(self._root),
            "cache_dir": str(self._cache_dir / "deps"),
            "dir": self._view,
        }

    def check(self, request: CheckRequest) -> CheckResult:
        """Judge base + overlay; the base does not change."""
        params = encode_check(request) | {"elsewhere": list(self.elsewhere)}
        return decode_check(self._call("check", params))

    def load(self) -> LoadResult:
        """Load the graph afresh, in a new process when none runs; AgoError when there is none.
        Missing dependencies leave a smaller one."""
        with self._starting:
            process = self._start()
            self.loaded = None
            try:
                result = cast(LoadResult, process.call("load", self.place))
            except WireError as error:
                if error.code == "load_failed":
                    raise AgoError("load_failed", error.message) from error
                raise
            _refuse_unloaded(result)
            self.loaded = result
            return result

    def contexts(
        self, files: Sequence[str], more: Sequence[FurtherContext], limit: int
    ) -> list[FurtherContext]:
        """The fewest contexts beside the own one that compile `files`, `more` before them."""
        params: dict[str, Json] = {
            "files": list(files),
            "more": [cast(dict[str, Json], context) for context in more],
            "limit": limit,
        }
        return cast(ContextsResult, self._call("contexts", params))["contexts"]

    def further(self, name: str, context: FurtherContext) -> FurtherChecker:
        """The same checker for another build context; its graph is loaded on first need."""
        return FurtherChecker(self, name, context)

    def prepare(self) -> bool:
        """Do a little of what the first edit would wait for; whether something is left to do."""
        answer = cast(dict[str, int], self._call("prepare", {"ms": PORTION_MS}))
        return answer["left"] > 0

    def memory(self) -> int:
        """Bytes that the process needs, 0 when it does not run; it collects garbage first."""
        if not self.running:
            return 0
        return cast(MemoryResult, self._call("memory", {}))["sys"]

    def trim(self, cap_mb: int) -> bool:
        """Restart the process (lazily) when it holds more than the cap; True when it was ended."""
        if cap_mb <= 0 or self._process is None:
            return False
        if 0 < self._process.resident_mb <= cap_mb or self.memory() <= cap_mb << 20:
            return False
        self.close()
        return True

    @property
    def pid(self) -> int:
        """Process id, 0 when it does not run."""
        return self._process.pid if self._process and self._process.alive else 0

    def close(self) -> None:
        """End the process; a later call starts another one."""
        with self._starting:
            if self._process:
                self._process.close()
            self._process, self.loaded = None, None

    def _call(
        self, method: str, params: dict[str, Json], on_event: OnEvent | None = None
    ) -> object:
        process = self.ready()
        try:
            return process.call(method, params, on_event)
        except WireError as error:
            # After a panic the universe is rebuilt lazily; only the graph has to be there.
            if error.code != "not_loaded":
                raise
        self.load()
        return self.ready().call(method, params, on_event)

    def ready(self) -> Process:
        """The running process, with the graph of the workspace's own build loaded."""
        with self._starting:
            if not self.running:
                self.load()
            return self._start()

    def _start(self) -> Process:
        if self._process is None or not self._process.alive:
            if self._process is not None:
                self._count_crash()
                self._process.close()
            self.loaded = None
            launch = self._launch()
            argv = [str(launch.binary), "-root", str(self._root)]
            self._process = Process(argv, launch.env, self._root)
        return self._process

    def _count_crash(self) -> None:
        """Give up after several crashes in one session: each costs the caller a load."""
        self._starts += 1
        if self._starts > _CRASH_LIMIT:
            raise CheckerUnavailable(
                "checker_unavailable",
                f"agocheck crashed {self._starts} times",
                "edits still work through the go command (gate = toolchain)",
            )


class FurtherChecker(Calls):
    """Client of a further build in the same process."""

    def __init__(self, resident: ResidentChecker, context: str, build: FurtherContext) -> None:
        """`context` names the build in answers and on the wire."""
        self._resident, self.context, self.build = resident, context, build
        self._loaded_in: Process | None = None
        self._loading = threading.Lock()
        self.missing = ""
        """What the go command could not resolve in this build when it was last loaded."""
        self.own_api: Callable[[], Mapping[str, str]] = dict
        """API hashes that packages have in the workspace's own build."""

    def load(self) -> None:
        """Load the graph; AgoError when there is none. Missing dependencies leave a smaller one."""
        with self._loading:
            process = self._resident.ready()
            loaded = self._resident.loaded
            if self._loaded_in is process or loaded is None:
                return
            params = {**self._resident.place, **self.build, "own": loaded["context"]}
            result = cast(
                LoadResult, process.call("load", cast(dict[str, Json], params), build=self.context)
            )
            _refuse_unloaded(result)
            self.missing = result.get("message") or "" if result["state"] != "ok" else ""
            self._loaded_in = process

    def go(self, own: Go) -> Go:
        """The go command of the own build in this context."""
        build = self.build
        return own.within(build["goos"], build["goarch"], build["tags"] or (), cgo=build["cgo"])

    def beside(self, apis: Mapping[str, str]) -> Beside:
        """It as a judge of an edit that gives packages of the own build these API hashes."""
        return Beside(self, apis)

    def judge(self, request: CheckRequest, apis: Mapping[str, str]) -> CheckResult:
        """Judge base + overlay; `apis` as for `beside`."""
        own = {**self.own_api(), **apis}
        params = encode_check(request) | {"own_api": cast(dict[str, Json], own)}
        return decode_check(self._call("check", params))

    @property
    def loaded(self) -> bool:
        """Whether the running process has this build's graph."""
        return self._resident.running and self._loaded_in is self._resident.ready()

    def rest(self) -> None:
        """Give the memory of this build back; the next use loads its graph again."""
        if self.loaded:
            self._resident.ready().call("reset", {"graph": True}, build=self.context)
        self._loaded_in = None

    def forget(self) -> None:
        """Load again on the next need: the build list moved."""
        self._loaded_in = None

    def _call(
        self, method: str, params: dict[str, Json], on_event: OnEvent | None = None
    ) -> object:
        self.load()
        if method in ("check_all", "refresh"):
            params = {**params, "own_api": dict(self.own_api())}
        try:
            return self._resident.ready().call(method, params, on_event, build=self.context)
        except WireError as error:
            if error.code != "not_loaded":
                raise
        self.forget()
        self.load()
        return self._resident.ready().call(method, params, on_event, build=self.context)


@dataclass(frozen=True)
class Beside:
    """A further build as the judge of one edit."""

    build: FurtherChecker
    apis: Mapping[str, str]
    name: Literal["resident", "toolchain"] = "resident"

    def check(self, request: CheckRequest) -> CheckResult:
        """Judge base + overlay; the base does not change."""
        return self.build.judge(request, self.apis)


def _refuse_unloaded(result: LoadResult) -> None:
    """Turn a load without a graph into the error that names its mend.

    Where dependencies are missing there mostly is one, of all that could be resolved.
    """
    state = result["state"]
    if state == "ok" or (state == "dependencies_missing" and result.get("context")):
        return
    keys = {"dependencies_missing": "dependencies_missing", "no_module": "no_module"}
    mend = " ".join(result.get("mend") or ())
    message = result.get("message") or state
    raise AgoError(keys.get(state, "load_failed"), message, say_mend(mend) if mend else "")
