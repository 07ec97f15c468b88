"""Failures of tests: where the first thing went wrong, in the words of the test.

Invariant: read from the output alone; what has no place in the workspace has none here.
"""

from __future__ import annotations

import re

from grammar_ops.reject import Finding

_LOGGED = re.compile(r"^\s+(\S+\.go):(\d+): ?(.*)$")
_PANIC = re.compile(r"^(?:panic|fatal error): (.*?)(?: \[recovered.*)?$")
_FRAME = re.compile(r"^\t(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$")
_EXAMPLE = re.compile(r"^got:\n(.*?)\nwant:\n(.*?)(?:\n---|\Z)", re.MULTILINE | re.DOTALL)
_REPEATED = ("Error Trace:", "Test:")
"""What libraries of assertions say again: where, and in which test."""
_WIDTH = 400


def find_failure(output: str) -> Finding | None:
    """The assertion that failed first, or the panic with its first frame in the
    workspace. Its files are named from the root there, any other by an absolute path."""
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if match := _PANIC.match(line):
            return _panicked(match[1], lines[number + 1 :])
        if match := _LOGGED.match(line):
            file = _inside(match[1])
            if file:
                words = [match[3], *_continued(lines[number + 1 :])]
                return Finding(file, int(match[2]), 0, _short(words))
    if match := _EXAMPLE.search(output):
        return Finding("", 0, 0, _short(["got:", match[1], "want:", match[2]]))
    return None


def _continued(lines: list[str]) -> list[str]:
    """The lines of one message behind its first: deeper than a place, before the next one."""
    found = []
    for line in lines:
        if not line.startswith("        ") or _LOGGED.match(line):
            break
        found.append(line.strip())
    return [line for line in found if not line.startswith(_REPEATED)]


def _panicked(message: str, lines: list[str]) -> Finding:
    for line in lines:
        match = _FRAME.match(line)
        file = _inside(match[1]) if match else ""
        if match and file:
            return Finding(file, int(match[2]), 0, f"panic: {message}")
    return Finding("", 0, 0, f"panic: {message}")


def _inside(file: str) -> str:
    """A file of the workspace, "" for one outside and for the main function of the tests."""
    return "" if file.startswith("/") or file == "_testmain.go" else file


def _short(words: list[str]) -> str:
    text = " ".join(" ".join(words).split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
