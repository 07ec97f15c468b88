"""gopls as a peer: the same work through its language server."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench.lsp import LanguageServer
from bench.procs import resident_mb


class Gopls:
    """gopls on one folder; times are milliseconds."""

    def __init__(self, binary: Path, root: Path) -> None:
        self.binary, self.root = binary, root.resolve()
        self._server: LanguageServer | None = None
        self._version = 1

    def stop(self) -> None:
        """End the server."""
        if self._server:
            self._server.close()
        self._server = None

    def first_answer(self, fragment: str) -> float:
        """Seconds from nothing running to the answer of a workspace symbol search."""
        self.stop()
        started = time.perf_counter()
        self._server = LanguageServer([str(self.binary), "serve"], self.root)
        self._server.request("workspace/symbol", {"query": fragment})
        return time.perf_counter() - started

    def search(self, fragment: str) -> float:
        """Workspace symbol search."""
        return self._timed("workspace/symbol", {"query": fragment})[0]

    def references(self, path: str, line: int, col: int) -> float:
        """References of the identifier at a 1-based place."""
        where = {**self._place(path, line, col), "context": {"includeDeclaration": True}}
        return self._timed("textDocument/references", where)[0]

    def hover(self, path: str, line: int, col: int) -> float:
        """What is known of the identifier at a 1-based place."""
        return self._timed("textDocument/hover", self._place(path, line, col))[0]

    def rename(self, path: str, line: int, col: int, new: str) -> float:
        """Rename edits, not applied and not gated."""
        where = self._place(path, line, col)
        return self._timed("textDocument/rename", {**where, "newName": new})[0]

    def edit(self, path: str, text: str, *, broken: bool) -> float:
        """From a changed buffer to its diagnostics (errors when `broken`, none otherwise)."""
        server = self._running()
        uri = (self.root / path).as_uri()
        self._version += 1
        started = time.perf_counter()
        server.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": self._version},
                "contentChanges": [{"text": text}],
            },
        )
        seconds = server.wait_diagnostics(uri, started, lambda found: bool(found) == broken)
        return 1000 * seconds

    def open(self, path: str) -> None:
        """Open a buffer with the file's text."""
        file = self.root / path
        document = {"uri": file.as_uri(), "languageId": "go", "version": 1}
        document["text"] = file.read_text()
        self._running().notify("textDocument/didOpen", {"textDocument": document})

    def memory(self) -> dict[str, float]:
        """Resident megabytes."""
        return resident_mb(f"{self.binary} serve")

    def _running(self) -> LanguageServer:
        assert self._server is not None
        return self._server

    def _place(self, path: str, line: int, col: int) -> dict[str, Any]:
        position = {"line": line - 1, "character": col - 1}
        return {"textDocument": {"uri": (self.root / path).as_uri()}, "position": position}

    def _timed(self, method: str, params: dict[str, Any]) -> tuple[float, Any]:
        started = time.perf_counter()
        result = self._running().request(method, params)
        return 1000 * (time.perf_counter() - started), result
