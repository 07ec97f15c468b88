"""The txtar format: one file that holds a comment and a small tree of files.

Invariant: bytes in, bytes out; `render(parse(data)) == data` for a canonical archive.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_MARKER = re.compile(rb"^-- (\S(?:.*\S)?) --\r?\n?$")


@dataclass(frozen=True)
class Archive:
    """A leading comment and files in order."""

    comment: bytes
    files: dict[str, bytes]


def parse(data: bytes) -> Archive:
    """Read an archive; a file that occurs twice is an error."""
    comment: list[bytes] = []
    files: dict[str, list[bytes]] = {}
    lines = comment
    for line in _lines(data):
        marker = _MARKER.match(line)
        if marker is None:
            lines.append(line)
            continue
        name = marker.group(1).decode()
        if name in files:
            raise ValueError(f"{name} occurs twice")
        lines = files[name] = []
    return Archive(b"".join(comment), {name: b"".join(text) for name, text in files.items()})


def _lines(data: bytes) -> list[bytes]:
    """Lines that end in a line feed alone: a carriage return belongs to the text."""
    return re.findall(rb"[^\n]*\n|[^\n]+$", data)


def render(archive: Archive) -> bytes:
    """Write an archive; every part ends in a line feed."""
    parts = [_ended(archive.comment)]
    for name, text in archive.files.items():
        parts += [f"-- {name} --\n".encode(), _ended(text)]
    return b"".join(parts)


def _ended(text: bytes) -> bytes:
    return text if not text or text.endswith(b"\n") else text + b"\n"


def render_json(value: object) -> bytes:
    """JSON as it stands in archives: two spaces, keys in the order given."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def canonical(archive: Archive) -> Archive:
    """The archive with its files in reading order and its JSON laid out: request, files, want."""
    ordered = sorted(archive.files, key=lambda name: (_place(name), name))
    files = {name: archive.files[name] for name in ordered}
    for name, text in files.items():
        if name.endswith(".json") and _place(name) in (0, 1, 4):
            files[name] = render_json(json.loads(text))
    return Archive(archive.comment, files)


def _place(name: str) -> int:
    fixed = {"request.json": 0, "check.json": 1, "want/response.json": 4}
    return fixed.get(name, 3 if name.startswith("want/") else 2)
