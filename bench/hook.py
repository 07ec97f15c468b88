"""What the pre-edit hook adds to an agent's edit, on a repository with a warm daemon.

Usage: python -m bench.hook --repo DIR [--count N] [--json OUT]

Each turn starts `ago hook pre-edit` on an edit that is let through, on one of a file that is no Go,
and `python -c pass`, whose time says what this machine is worth at the moment: ratios to it can be
compared, milliseconds can't. The file is picked with `--file` and `--old`/`--new`; by default the
first return statement that stands once gets a comment.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_RATIO = 5.0
"""60 ms on a machine that starts a bare Python process in 12."""
AGO = Path(sys.executable).parent / "ago"


def main() -> int:
    """Measure and report; 1 when an allowed edit takes too long, next to a bare process."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="ago-hook-") as scratch:
        root = Path(scratch) / args.repo.name
        shutil.copytree(args.repo, root, symlinks=True)
        env = {**os.environ, "XDG_STATE_HOME": f"{scratch}/state"}
        try:
            record = _measure(root, env, args)
        finally:
            subprocess.run([AGO, "-C", root, "daemon", "stop"], env=env, capture_output=True)
    print(json.dumps(record, indent=1))
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if record["allowed_ratio"] > LIMIT_RATIO else 0


def _measure(root: Path, env: dict[str, str], args: argparse.Namespace) -> dict[str, float | str]:
    subprocess.run([AGO, "-C", root, "status", "--wait"], env=env, capture_output=True, check=True)
    path, old = _pick(root, args.file)
    prose = _call(root, root / "README.md", "a", "b")
    hook = [str(AGO), "hook", "pre-edit"]
    times: dict[str, list[float]] = {"bare": [], "allowed": [], "no_go": []}
    for turn in range(args.count + 5):
        # A text that was judged before is answered from memory: each is another one.
        allowed = _call(root, path, old, f"{old} // as before, {turn}")
        calls = {
            "bare": ([sys.executable, "-c", "pass"], b""),
            "allowed": (hook, allowed),
            "no_go": (hook, prose),
        }
        for name, (command, stdin) in calls.items():
            spent, out = _time(command, stdin, env)
            if out:
                raise SystemExit(f"{name}: the hook should have nothing to say: {out!r}")
            if turn >= 5:  # the first ones warm the caches
                times[name].append(spent)
    medians = {name: statistics.median(found) for name, found in times.items()}
    return {
        "repo": root.name,
        "file": str(path.relative_to(root)),
        "count": args.count,
        **{f"{name}_ms": round(value, 1) for name, value in medians.items()},
        "allowed_p90_ms": round(statistics.quantiles(times["allowed"], n=10)[-1], 1),
        "allowed_ratio": round(medians["allowed"] / medians["bare"], 2),
        "no_go_ratio": round(medians["no_go"] / medians["bare"], 2),
    }


def _pick(root: Path, file: str) -> tuple[Path, str]:
    """A file and a text that stands once in it and may be followed by a comment."""
    for path in sorted(root.glob(file)):
        for line in path.read_text().splitlines():
            whole = (
                line.strip().startswith("return ") and line[-1] not in "({," and "//" not in line
            )
            if whole and path.read_text().count(line) == 1:
                return path, line
    raise SystemExit(f"no line to edit in {file}")


def _call(root: Path, path: Path, old: str, new: str) -> bytes:
    call = {
        "session_id": "bench", "cwd": str(root), "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": str(path), "old_string": old, "new_string": new},
    }  # fmt: skip
    return json.dumps(call).encode()


def _time(command: list[str], stdin: bytes, env: dict[str, str]) -> tuple[float, bytes]:
    """(milliseconds, stdout) of one process."""
    started = time.perf_counter()
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, env=env, check=True)
    return (time.perf_counter() - started) * 1000, done.stdout


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.hook", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--file", default="**/command.go", help="glob of the file to edit")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
