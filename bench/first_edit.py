"""From nothing to the first accepted edit: install, `ago init`, edit, in a fresh home, timed.

    python -m bench.first_edit [--installer pip|pipx|uv …] [--wheel FILE] [--network] [--json FILE]

Without --network the Go module proxy is off and the module cache empty, so that agocheck can only
be built from what the wheel holds. Go's build cache is empty as well: the figure includes the
compilation of the standard library's packages that agocheck needs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
LIMIT_S, LIMIT_COMMANDS = 60.0, 5

# The tools that install are not what is measured: they are there before the clock starts.
INSTALLERS: Mapping[str, str] = {"pip": "", "pipx": "pipx>=1.7,<2", "uv": "uv>=0.8,<1"}


@dataclass
class Journey:
    """One run: its folders, and the commands typed so far with their seconds."""

    home: Path
    env: dict[str, str]
    typed: list[tuple[str, float]] = field(default_factory=list)

    def type(self, *argv: str, cwd: Path | None = None) -> str:
        """Run a command as a user would; its output, SystemExit when it fails."""
        begun = time.perf_counter()
        done = subprocess.run(
            argv, cwd=cwd or self.home, env=self.env, capture_output=True, text=True, check=False
        )
        words = [Path(word).name if Path(word).is_absolute() else word for word in argv]
        self.typed.append((" ".join(words), time.perf_counter() - begun))
        if done.returncode != 0:
            raise SystemExit(f"{argv}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def run(installer: str, wheel: Path, *, network: bool) -> dict[str, object]:
    """One installer's journey as a report."""
    home = Path(tempfile.mkdtemp(prefix="ago-first-"))
    try:
        journey = Journey(home, fresh_environment(home, network=network))
        prepare(installer, journey)
        install(installer, wheel, journey)
        ago = str(home / "bin" / "ago")
        journey.type(ago, "-C", "shop", "init", "example.com/shop")
        body = 'fmt.Println("open", 24, "hours")'
        answer = journey.type(ago, "-C", "shop", "set-body", "main", "--body", body)
        report = describe(installer, journey, json.loads(answer))
        journey.type(ago, "-C", "shop", "daemon", "stop")
        said = journey.type("go", "run", ".", cwd=home / "shop")
        report["program_says"] = said.strip()
        return report
    finally:
        # The module cache is read-only, where there is one.
        subprocess.run(["chmod", "-R", "u+w", str(home)], check=False)
        shutil.rmtree(home, ignore_errors=True)


def fresh_environment(home: Path, *, network: bool) -> dict[str, str]:
    """An environment in which nothing of ago or Go is cached."""
    kept = ("LANG", "PIP_INDEX_URL", "UV_INDEX_URL", "PIP_CONFIG_FILE", "SSL_CERT_FILE")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    folder = Path(shutil.which("go") or "/usr/local/go/bin/go").resolve().parent
    env |= {
        "HOME": str(home),
        "PATH": f"{home / 'bin'}:{folder}:/usr/bin:/bin",
        "GOTOOLCHAIN": "local",
    }
    return env | ({} if network else {"GOPROXY": "off", "GOFLAGS": "-mod=vendor"})


def prepare(installer: str, journey: Journey) -> None:
    """What is there before the clock starts: the installer itself."""
    tools = journey.home / "tools"
    subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
    if package := INSTALLERS[installer]:
        subprocess.run([tools / "bin" / "pip", "install", "-q", package], check=True)
    journey.env |= {
        "PIPX_BIN_DIR": str(journey.home / "bin"),
        "UV_TOOL_BIN_DIR": str(journey.home / "bin"),
        "UV_PYTHON": sys.executable,
    }


def install(installer: str, wheel: Path, journey: Journey) -> None:
    """The installation, by the one command of each installer (two with pip)."""
    tools = journey.home / "tools" / "bin"
    match installer:
        case "pip":
            journey.type(sys.executable, "-m", "venv", str(journey.home))
            journey.type(str(journey.home / "bin" / "pip"), "install", "-q", str(wheel))
        case "pipx":
            journey.type(str(tools / "pipx"), "install", str(wheel))
        case _:
            journey.type(str(tools / "uv"), "tool", "install", str(wheel))


def describe(installer: str, journey: Journey, answer: Mapping[str, object]) -> dict[str, object]:
    """The report of a journey that ended with this answer."""
    seconds = sum(took for _, took in journey.typed)
    accepted = answer.get("status") == "accepted"
    return {
        "installer": installer,
        "commands": [
            {"command": words, "seconds": round(took, 2)} for words, took in journey.typed
        ],
        "seconds": round(seconds, 1),
        "accepted": accepted,
        "proof": answer.get("proof"),
        "within": accepted and seconds < LIMIT_S and len(journey.typed) <= LIMIT_COMMANDS,
    }


def build_wheel() -> Path:
    """A wheel of this checkout, built from its sdist as a release is."""
    subprocess.run([sys.executable, "-m", "build", str(CHECKOUT)], check=True, capture_output=True)
    return max((CHECKOUT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)


def main() -> int:
    """Run the journeys; 0 when all of them were within the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--installer", action="append", choices=list(INSTALLERS))
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--network", action="store_true", help="leave the Go module proxy on")
    parser.add_argument("--json", type=Path, help="write the reports to this file")
    options = parser.parse_args()
    load = os.getloadavg()
    wheel = (options.wheel or build_wheel()).resolve()
    reports = [run(i, wheel, network=options.network) for i in options.installer or INSTALLERS]
    conditions = {"go_cache": "empty", "cpus": os.cpu_count(), "load": [round(x) for x in load]}
    text = json.dumps({**conditions, "journeys": reports}, indent=1)
    if options.json:
        options.json.write_text(text + "\n")
    print(text)
    return 0 if all(report["within"] for report in reports) else 1


if __name__ == "__main__":
    raise SystemExit(main())
