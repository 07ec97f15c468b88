"""A small LSP client over stdio, enough to time a language server as a peer."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from types import TracebackType
from typing import Any

Message = dict[str, Any]


class LanguageServer:
    """One running server on one folder; `request` blocks for the answer, in seconds."""

    def __init__(self, argv: list[str], root: Path, env: dict[str, str] | None = None) -> None:
        self.root = root
        self._proc = subprocess.Popen(
            argv, cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._answers: dict[int, Queue[Message]] = {}
        self._next = 0
        self.diagnostics: dict[str, tuple[float, list[Message]]] = {}
        threading.Thread(target=self._read, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": root.name}
        capabilities = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
        start = {
            "processId": None, "rootUri": root.as_uri(), "workspaceFolders": [folder],
            "capabilities": capabilities,
        }  # fmt: skip
        self.request("initialize", start)
        self.notify("initialized", {})

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._proc.pid

    def request(self, method: str, params: Message, timeout: float = 300) -> Any:
        """Send a request and wait for its result; RuntimeError when the server refuses."""
        self._next += 1
        queue: Queue[Message] = Queue()
        self._answers[self._next] = queue
        self._send({"id": self._next, "method": method, "params": params})
        answer = queue.get(timeout=timeout)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer.get("result")

    def notify(self, method: str, params: Message) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def wait_diagnostics(
        self, uri: str, since: float, done: Callable[[list[Message]], bool]
    ) -> float:
        """Seconds from `since` until diagnostics of `uri` satisfy `done`; TimeoutError after 60."""
        while time.perf_counter() - since < 60:
            at, found = self.diagnostics.get(uri, (0.0, []))
            if at > since and done(found):
                return at - since
            time.sleep(0.002)
        raise TimeoutError(uri)

    def close(self) -> None:
        """Stop the server."""
        self._proc.kill()
        self._proc.wait()

    def __enter__(self) -> LanguageServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._proc.stdin is not None
        self._proc.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._proc.stdin.flush()

    def _read(self) -> None:
        stream = self._proc.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
                header = stream.readline()
            self._take(json.loads(stream.read(length)))

    def _take(self, message: Message) -> None:
        if "method" not in message:
            self._answers[message["id"]].put(message)
        elif message["method"] == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = (time.perf_counter(), params["diagnostics"])
        elif "id" in message:  # the server asks for configuration or progress: nothing special here
            wanted = message.get("params", {}).get("items", [])
            result = (
                [None] * len(wanted) if message["method"] == "workspace/configuration" else None
            )
            self._send({"id": message["id"], "result": result})
