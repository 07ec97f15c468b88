"""The resident checker: agocheck behind the Checker and TypeOracle protocols.

Invariant: the process is started and loaded on first need and again after a crash, never sooner;
a call that it crashed in is answered with CheckerCrashed, the next one works.
Invariant: nothing here knows of facts or of the gate; results leave as values.
"""

from __future__ import annotations

import base64
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from ago.checker.checker import (
    Change,
    CheckRequest,
    CheckResult,
    Diagnostic,
    FormatItem,
    Formatted,
    Overlay,
    UnitKey,
    UnitVerdict,
)
from ago.checker.process import Process, WireError
from ago.checker.results import (
    CheckAllResult,
    Diag,
    Event,
    LoadResult,
    MemoryResult,
    MovedResult,
    RawChange,
    RawCheck,
    RawFormatted,
    RawSyntax,
    RawUnitVerdict,
)
from ago.protocol.errors import AgoError, CheckerUnavailable
from grammar_ops.reject import Json

OnEvent = Callable[[Event], None]
_CRASH_LIMIT = 5
PORTION_MS = 40
"""How long a call may have to wait for work that is done ahead."""


@dataclass(frozen=True)
class Launch:
    """How to start agocheck."""

    binary: Path
    env: Mapping[str, str]


class ResidentChecker:
    """Client of one agocheck process for one root."""

    name: Literal["resident"] = "resident"

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

    # -- Checker ---------------------------------------------------------------------------------

    def check(self, request: CheckRequest) -> CheckResult:
        """Judge base + overlay; the base does not change."""
        params: dict[str, Json] = {
            "overlay": _encode_overlay(request.overlay),
            "spans": {path: [list(piece) for piece in p] for path, p in request.spans.items()},
            "renames": [{"pkg": p, "sym": s, "to": t} for p, s, t in request.renames],
            "files_moved": dict(request.moved),
            "proofs": request.proofs,
        }
        return _decode_check(cast(RawCheck, self._call("check", params)))

    # -- TypeOracle ------------------------------------------------------------------------------

    def ask(self, overlay: Overlay, questions: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
        """Answer typed questions over base + overlay."""
        params: dict[str, Json] = {
            "overlay": _encode_overlay(overlay),
            "questions": list(questions),
        }
        return cast(dict[str, list[dict[str, Json]]], self._call("ask", params))["answers"]

    def format(self, items: Sequence[FormatItem]) -> list[Formatted]:
        """Format files by the rules of the wire contract."""
        raw = self._call("format", {"items": [_encode_format(item) for item in items]})
        answers = cast(dict[str, list[RawFormatted]], raw)["items"]
        return [_decode_format(i, a) for i, a in zip(items, answers, strict=True)]

    def syntax(self, kind: str, text: str) -> str | None:
        """The Go parser's complaint on a fragment of some kind, None when it is Go."""
        raw = self._call("syntax", {"items": [{"kind": kind, "text": text}]})
        (item,) = cast(dict[str, list[RawSyntax]], raw)["items"]
        if item["ok"]:
            return None
        return next((d["msg"] for d in item["diags"] or ()), "syntax error")

    # -- what the workspace needs ----------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether a loaded process can be asked without starting one."""
        return self._process is not None and self._process.alive and self.loaded is not None

    def load(self) -> LoadResult:
        """Load the graph afresh, in a new process when none runs; AgoError by its state."""
        with self._starting:
            process = self._start()
            self.loaded = None
            params: dict[str, Json] = {
                "root": str(self._root),
                "cache_dir": str(self._cache_dir / "deps"),
                "dir": self._view,
            }
            try:
                result = cast(LoadResult, process.call("load", params))
            except WireError as error:
                if error.code == "load_failed":
                    raise AgoError("load_failed", error.message) from error
                raise
            _refuse_unloaded(result)
            self.loaded = result
            return result

    def check_all(self, on_event: OnEvent, facts: bool = True) -> CheckAllResult:
        """Check every unit in import order, events as they are done."""
        return cast(CheckAllResult, self._call("check_all", {"facts": facts}, on_event))

    def advance(self, candidate: str, on_event: OnEvent) -> MovedResult:
        """Make a candidate, whose bytes are on the disk now, the base."""
        return cast(MovedResult, self._call("advance", {"candidate": candidate}, on_event))

    def refresh(
        self, paths: Sequence[str], api_hashes: Mapping[str, str], on_event: OnEvent
    ) -> MovedResult:
        """Re-read files that changed on the disk and re-check what they affect.

        `api_hashes` (package -> hash, as stored) tell what changed in packages that this process
        has not checked before.
        """
        params: dict[str, Json] = {"paths": list(paths), "api_hashes": dict(api_hashes)}
        return cast(MovedResult, self._call("refresh", params, on_event))

    def facts(self, pkgs: Sequence[str], on_event: OnEvent) -> None:
        """Facts of some packages, re-checked when needed."""
        self._call("facts", {"pkgs": list(pkgs)}, on_event)

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
        process = self._ready()
        try:
            return process.call(method, params, on_event)
        except WireError as error:
            # After a panic the universe is rebuilt lazily; only the graph has to be there.
            if error.code != "not_loaded":
                raise
        self.load()
        return self._ready().call(method, params, on_event)

    def _ready(self) -> Process:
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


def _refuse_unloaded(result: LoadResult) -> None:
    """Turn a load state other than ok into the error that names its mend."""
    state = result["state"]
    if state == "ok":
        return
    keys = {"dependencies_missing": "dependencies_missing", "no_module": "no_module"}
    mend = " ".join(result.get("mend") or ())
    message = result.get("message") or state
    raise AgoError(keys.get(state, "load_failed"), message, f"run `{mend}`" if mend else "")


def _encode_bytes(text: bytes) -> dict[str, Json]:
    """Text as text; bytes that are not UTF-8 as base64."""
    with contextlib.suppress(UnicodeDecodeError):
        return {"text": text.decode()}
    return {"b64": base64.b64encode(text).decode()}


def _encode_overlay(overlay: Overlay) -> dict[str, Json]:
    return {
        path: {"deleted": True} if text is None else _encode_bytes(text)
        for path, text in overlay.items()
    }


def _encode_format(item: FormatItem) -> Json:
    encoded = {"path": item.path, **_encode_bytes(item.text)}
    if item.base is not None:
        base = _encode_bytes(item.base)
        encoded |= {"base" if key == "text" else "base_b64": value for key, value in base.items()}
        encoded["decls"] = [list(span) for span in item.decls]
    return encoded


def _decode_format(item: FormatItem, raw: RawFormatted) -> Formatted:
    error = raw.get("error")
    if error:
        return Formatted(item.path, item.text, ((0, 0, len(item.text)),), decode_diag(error))
    b64 = raw.get("b64")
    text = base64.b64decode(b64) if b64 else raw.get("text", "").encode()
    pieces = tuple((a, b, n) for a, b, n in raw.get("map") or ())
    return Formatted(item.path, text, pieces)


def decode_diag(raw: Diag) -> Diagnostic:
    """A diagnostic of the wire as a value."""
    return Diagnostic(
        raw["file"], raw["line"], raw["col"], raw["offset"], raw["end"], raw["code"], raw["msg"],
        raw["source"], raw.get("soft", False), raw.get("revealed", False),
    )  # fmt: skip


def _decode_unit(raw: RawUnitVerdict) -> UnitVerdict:
    return UnitVerdict(
        UnitKey(raw["pkg"], raw["variant"]),
        tuple(map(decode_diag, raw["diagnostics"] or ())),
        tuple(map(decode_diag, raw["base_diagnostics"] or ())),
        raw["recheck"] == "rebind",
    )


def _decode_change(raw: RawChange) -> Change:
    return Change(**raw)


def _decode_check(raw: RawCheck) -> CheckResult:
    return CheckResult(
        candidate=raw["candidate"],
        judged=raw["judged"],
        units=tuple(map(_decode_unit, raw["units"] or ())),
        changes=tuple(map(_decode_change, raw["changes"] or ())),
        api_changed=tuple(raw["api_changed"] or ()),
        tainted=tuple(f"{t['pkg']}: {t['reason']}" for t in raw["tainted"] or ()),
        unproven=tuple(f"{u['what']}: {u['reason']}" for u in raw["unproven"] or ()),
        ms=raw["ms"],
    )
