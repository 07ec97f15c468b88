"""How long an MCP client waits: handshake and tool list from nothing and with a daemon, one call.

Usage: python -m bench.mcp --repo DIR [--count N] [--json OUT]

`python -c pass` runs beside each turn; its time says what this machine is worth at the moment. No
workspace is loaded for a handshake: what `from_nothing` starts is the daemon alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

WITH_DAEMON_MS, FROM_NOTHING_MS = 100.0, 1500.0
AGO = Path(sys.executable).parent / "ago"
CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def main() -> int:
    """Measure and report; 1 when a client waits longer than it may."""
    args = _arguments()
    root = args.repo.resolve()
    record = _measure(root, args.count)
    subprocess.run([AGO, "-C", root, "daemon", "stop"], capture_output=True, check=False)
    print(json.dumps(record, indent=1))
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    slow = record["with_daemon_ms"] > WITH_DAEMON_MS or record["from_nothing_ms"] > FROM_NOTHING_MS
    return int(slow)


def _measure(root: Path, count: int) -> dict[str, Any]:
    nothing: list[float] = []
    for _ in range(3):
        subprocess.run([AGO, "-C", root, "daemon", "stop"], capture_output=True, check=False)
        nothing.append(_open(root)[0])
    bare, ready, calls = [], [], []
    for _ in range(count):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append((time.perf_counter() - begun) * 1000)
        spent, call, size = _open(root)
        ready.append(spent)
        calls.append(call)
    return {
        "repo": root.name,
        "count": count,
        "from_nothing_ms": round(statistics.median(nothing), 1),
        "with_daemon_ms": round(statistics.median(ready), 1),
        "call_ms": round(statistics.median(calls), 1),
        "bare_ms": round(statistics.median(bare), 1),
        "with_daemon_ratio": round(statistics.median(ready) / statistics.median(bare), 2),
        "list_bytes": size,
    }


def _open(root: Path) -> tuple[float, float, int]:
    """(ms until the list is there, ms of a call of help, bytes of the list)."""
    begun = time.perf_counter()
    pipe = subprocess.PIPE
    with subprocess.Popen([AGO, "mcp", "-C", root], stdin=pipe, stdout=pipe) as server:
        _ask(server, {"id": 1, "method": "initialize", "params": CLIENT})
        _say(server, {"method": "notifications/initialized"})
        listing = _ask(server, {"id": 2, "method": "tools/list"})
        ready = time.perf_counter()
        params = {"name": "help", "arguments": {"name": "rename"}}
        _ask(server, {"id": 3, "method": "tools/call", "params": params})
        called = time.perf_counter()
        assert server.stdin
        server.stdin.close()
    return (ready - begun) * 1000, (called - ready) * 1000, len(listing)


def _say(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()


def _ask(server: subprocess.Popen[bytes], message: dict[str, Any]) -> bytes:
    _say(server, message)
    assert server.stdout
    return server.stdout.readline()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
