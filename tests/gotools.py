"""The go command as an independent judge of a tree: gofmt and vet, before and after."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_LINE = re.compile(r"^(?:vet: )?(?:\./)?([^\s:]+\.go):\d+(?::\d+)?: (.*)$")


class Finding(NamedTuple):
    """One line of `go vet`: a compile error, or an analyzer's finding."""

    file: str
    message: str
    compile_error: bool


def go_env() -> dict[str, str]:
    """The environment of go commands: nothing is downloaded, nothing of the user counts."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GO")}
    for name in ("GOROOT", "GOPATH", "GOMODCACHE", "GOCACHE"):
        if value := os.environ.get(name):
            kept[name] = value
    return kept | {"GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local", "GOPROXY": "off"}


@cache
def gofmt() -> str:
    """The gofmt of the go in use."""
    done = subprocess.run(
        ["go", "env", "GOROOT"], capture_output=True, text=True, check=True, env=go_env()
    )
    return str(Path(done.stdout.strip()) / "bin" / "gofmt")


def unformatted(root: Path) -> set[str]:
    """Go files below `root` that are not in gofmt form, those that do not parse included."""
    done = subprocess.run(
        [gofmt(), "-l", "."], cwd=root, capture_output=True, text=True, check=False
    )
    failed = {line.split(":")[0] for line in done.stderr.splitlines()}
    return set(done.stdout.split()) | failed


def vet(root: Path) -> Counter[Finding]:
    """What `go vet` says of a workspace: its findings come as JSON, compile errors as text."""
    everything = "work" if (root / "go.work").exists() else "./..."
    done = subprocess.run(
        ["go", "vet", "-json", everything],
        cwd=root, capture_output=True, text=True, check=False, env=go_env(),
    )  # fmt: skip
    findings: Counter[Finding] = Counter()
    for line in done.stderr.splitlines():
        if match := _LINE.match(line):
            findings[Finding(match[1], match[2], True)] += 1
        elif line.strip() and not line.startswith(("#", "\t", "exit status")):
            findings[Finding("", line, True)] += 1
    for found in _objects(done.stdout):
        for analyzers in found.values():
            for reports in analyzers.values():
                for report in reports:
                    # Vet's results are cached by content: the folder may be that of another run.
                    file = Path(report["posn"].rsplit(":", 2)[0]).name
                    findings[Finding(file, report["message"], False)] += 1
    return findings


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that follow one another in `text`."""
    decoder = json.JSONDecoder()
    at = 0
    while (at := len(text) - len(text[at:].lstrip())) < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value


def new_findings(before: Path, after: Path) -> list[Finding]:
    """Findings of `after` that `before` did not have, each once for all variants of a package."""
    found = vet(after)
    return sorted(set(found - vet(before))) if found else []


def build(root: Path) -> str:
    """The complaint of `go build ./...`, "" when there is none."""
    done = subprocess.run(
        ["go", "build", "-trimpath", "-o", os.devnull, "./..."],
        cwd=root, capture_output=True, text=True, check=False, env=go_env(),
    )  # fmt: skip
    return done.stderr if done.returncode else ""
