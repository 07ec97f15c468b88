"""One agocheck process: JSON lines in and out, calls from any thread, events to the caller.

Invariant: a call ends with a result, WireError or CheckerCrashed; none waits for a dead process.
Invariant: the process ends with its parent, since it exits when its stdin closes.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import resource
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

import orjson

from ago.checker.results import Event
from ago.protocol.errors import Bug, Busy, CheckerUnavailable
from grammar_ops.reject import Json

PROTOCOL = 1
HELLO_LIMIT_S = 20.0
_EVENTS_AHEAD = 64
"""Events a caller may lag behind before the reader waits: facts of a big load must not pile up."""


class CheckerCrashed(CheckerUnavailable):
    """The process ended in the middle of a call; the next call starts another one."""


class WireError(Bug):
    """agocheck answered with an error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"agocheck: {code}: {message}")
        self.code, self.message = code, message


class _Pending:
    """One call in progress: what has come for it and whether anybody still reads it."""

    def __init__(self) -> None:
        self.inbox: queue.Queue[dict[str, object] | None] = queue.Queue(_EVENTS_AHEAD)
        self.abandoned = False

    def put(self, message: dict[str, object] | None) -> None:
        while not self.abandoned:
            with contextlib.suppress(queue.Full):
                self.inbox.put(message, timeout=0.5)
                return


class Process:
    """A running agocheck."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        """Start it and read its greeting; CheckerUnavailable when it does not greet."""
        self._ids = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._log: deque[str] = deque(maxlen=40)
        self._dead = False
        try:
            self._process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise CheckerUnavailable("checker_unavailable", f"{argv[0]}: {error}") from error
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._greeting = _Pending()
        self._readers = [
            threading.Thread(target=target, name="agocheck", daemon=True)
            for target in (self._read, self._read_log)
        ]
        for reader in self._readers:
            reader.start()
        self._greet()

    @property
    def pid(self) -> int:
        """Process id, for memory figures."""
        return self._process.pid

    @property
    def resident_mb(self) -> int:
        """Megabytes of memory that it takes, 0 where the system does not say."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except (OSError, IndexError, ValueError):
            return 0
        return pages * resource.getpagesize() >> 20

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        return not self._dead and self._process.poll() is None

    def call(
        self,
        method: str,
        params: dict[str, Json],
        on_event: Callable[[Event], None] | None = None,
        timeout: float = 600.0,
        build: str = "",
    ) -> object:
        """Make one call; its events go to `on_event`, in the calling thread, before the result.

        `build` names a further build; its calls and those of the workspace's own run side by side.
        """
        number, pending = next(self._ids), _Pending()
        with self._lock:
            self._pending[number] = pending
        try:
            if self._dead:
                raise self._crash()
            self._send({"id": number, "method": method, "build": build, "params": params})
            return self._collect(number, pending, on_event, time.monotonic() + timeout, method)
        finally:
            pending.abandoned = True
            with self._lock:
                self._pending.pop(number, None)

    def close(self) -> None:
        """End the process: it exits when its stdin closes, and is killed when it does not."""
        self._dead = True
        with contextlib.suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(timeout=2)

    def _greet(self) -> None:
        try:
            message = self._greeting.inbox.get(timeout=HELLO_LIMIT_S)
        except queue.Empty:
            message = None
        hello = (message or {}).get("hello")
        protocol = hello.get("protocol") if isinstance(hello, dict) else None
        if protocol != PROTOCOL:
            self.close()
            raise CheckerUnavailable(
                "checker_unavailable",
                f"agocheck did not start (protocol {protocol}): {self._last_words()}",
            )

    def _send(self, message: dict[str, Json]) -> None:
        line = orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)
        try:
            with self._sending:
                self._stdin.write(line)
                self._stdin.flush()
        except (OSError, ValueError) as error:
            raise self._crash() from error

    def _collect(
        self,
        number: int,
        pending: _Pending,
        on_event: Callable[[Event], None] | None,
        deadline: float,
        method: str,
    ) -> object:
        while True:
            try:
                message = pending.inbox.get(timeout=max(deadline - time.monotonic(), 0.01))
            except queue.Empty:
                with contextlib.suppress(CheckerUnavailable):
                    self._send(
                        {"id": next(self._ids), "method": "cancel", "params": {"target": number}}
                    )
                raise Busy(
                    "checker_timeout", f"agocheck did not answer `{method}` in time"
                ) from None
            if message is None:
                raise self._crash()
            if "event" in message:
                if on_event:
                    on_event(cast(Event, message["event"]))
                continue
            if "error" in message:
                error = cast(dict[str, str], message["error"])
                raise WireError(error["code"], error["message"])
            return message.get("result")

    def _read(self) -> None:
        """Hand each line to the call it belongs to; at the end tell all calls that it is over."""
        with self._stdout:
            for line in self._stdout:
                self._deliver(line)
        self._dead = True
        self._greeting.put(None)
        with self._lock:
            waiting = list(self._pending.values())
        for pending in waiting:
            pending.put(None)

    def _deliver(self, line: bytes) -> None:
        try:
            message: dict[str, object] = orjson.loads(line)
        except orjson.JSONDecodeError:
            self._log.append(f"not JSON: {line[:200]!r}")
            return
        number = message.get("id")
        with self._lock:
            pending = self._pending.get(number) if isinstance(number, int) else self._greeting
        if pending:
            pending.put(message)

    def _read_log(self) -> None:
        assert self._process.stderr
        with self._process.stderr as lines:
            for line in lines:
                self._log.append(line.decode("utf-8", "replace").rstrip())

    def _crash(self) -> CheckerCrashed:
        self._dead = True
        return CheckerCrashed(
            "checker_crashed",
            f"agocheck ended unexpectedly: {self._last_words()}",
            "send the call again: the checker is started anew",
        )

    def _last_words(self) -> str:
        return " | ".join(list(self._log)[-6:]) or "it said nothing"
