"""Build agocheck, once for each version of its source and of Go, into the cache folder.

Invariant: a binary in the cache is complete (it is renamed into place) and was built from
the source that its folder is named after.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ago.checker.gocmd import Go, run_go
from ago.protocol.errors import Busy, CheckerUnavailable

SOURCE = Path(__file__).resolve().parent.parent / "checker_go"
"""The Go program, beside the Python modules in a checkout as in a wheel."""

BUILD_LIMIT_S = 600.0
_KEPT_BUILDS = 4


def find_agocheck(
    go: Go, cache_dir: Path, progress: Callable[[str], None] | None = None, source: Path = SOURCE
) -> Path:
    """The agocheck binary for `go`, built when it is not there; else CheckerUnavailable."""
    folder = cache_dir / "agocheck" / build_key(go, source)
    binary = folder / "agocheck"
    with contextlib.suppress(OSError):
        os.utime(folder)  # what is in use is not what an upgrade left behind
        if binary.exists():
            return binary
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder.parent / ".lock"):
            if not binary.exists():
                if progress:
                    progress("building agocheck (once)")
                _build(go, source, binary)
                _prune(folder.parent, keep=folder)
    except OSError as error:
        raise CheckerUnavailable(
            "checker_unavailable", f"can't build agocheck: {error}", f"make {cache_dir} writable"
        ) from error
    return binary


def build_key(go: Go, source: Path = SOURCE) -> str:
    """16 hex digits over the source, the Go version and its GOROOT: what the binary depends on."""
    digest = hashlib.sha256(f"{go.version}\0{go.goroot}\0".encode())
    for path in _sources(source):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(source: Path) -> list[Path]:
    """What goes into the binary; go.sum stands for the dependencies."""
    files = [p for p in source.glob("*.go") if not p.name.endswith("_test.go")]
    return sorted([*files, source / "go.mod", source / "go.sum"])


def _build(go: Go, source: Path, binary: Path) -> None:
    vendored = (source / "vendor" / "modules.txt").exists()
    with tempfile.TemporaryDirectory(dir=binary.parent, prefix=".build-") as scratch:
        made = Path(scratch) / "agocheck"
        # Without -trimpath the standard library's packages are those that Go's build cache has from
        # the user's own builds: most of the work is done already.
        args = ["build", "-ldflags", f"-X main.version={binary.parent.name}"]
        # A checkout has no vendor folder: dependencies come through the module proxy, this once.
        args += [f"-mod={'vendor' if vendored else 'mod'}", "-o", str(made), "."]
        extra = {"GOWORK": "off", "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"}
        extra |= {"GOOS": "", "GOARCH": ""}
        try:
            result = run_go(
                go, args, cwd=source, timeout=BUILD_LIMIT_S, extra=extra, network=not vendored
            )
        except Busy as error:
            raise _unavailable(error.message) from error
        if result.code != 0 or not made.exists():
            raise _unavailable(result.complaint[-2000:])
        made.replace(binary)


def _unavailable(complaint: str) -> CheckerUnavailable:
    return CheckerUnavailable(
        "checker_unavailable",
        f"agocheck does not build: {complaint}",
        "run `ago doctor`; edits still work through the go command (gate = toolchain)",
    )


def _prune(builds: Path, keep: Path) -> None:
    """Drop all but the builds used last: an upgrade of Go or of ago leaves one behind each time."""
    old = [p for p in builds.iterdir() if p.is_dir() and p != keep]
    old.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for folder in old[_KEPT_BUILDS - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a file lock; the second of two racing builders waits and then finds the binary."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
