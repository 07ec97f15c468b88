"""What processes hold and whether they work, read from /proc (Linux) or ps (elsewhere)."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

_CPU_TIMES = Path("/proc/stat")
IDLE = 0.9
"""The part of all processors that must have nothing to do, over QUIET_S seconds."""
QUIET_S, LONGEST_S = 2.5, 60.0


def resident_mb(pattern: str) -> dict[str, float]:
    """Resident megabytes of every process whose command line contains `pattern`, with its children.

    Keys are `pid name`. A process that has just gone counts as nothing.
    """
    rows = _table()
    roots = {pid for pid, (_, _, args) in rows.items() if pattern in args}
    wanted = set(roots)
    for _ in range(4):
        wanted |= {pid for pid, (parent, _, _) in rows.items() if parent in wanted}
    return {
        f"{pid} {rows[pid][2].split(' ')[0].rsplit('/', 1)[-1]}": rows[pid][1] / 1024
        for pid in sorted(wanted)
    }


def wait_idle() -> None:
    """Wait until what works behind the answers is done: confirmations, facts, a peer's analyses.

    At most LONGEST_S seconds. Without /proc: two seconds.
    """
    if not _CPU_TIMES.exists():
        time.sleep(2)
        return
    deadline = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline:
        idle, whole = _cpu_times()
        time.sleep(QUIET_S)
        idle_after, whole_after = _cpu_times()
        if idle_after - idle >= IDLE * (whole_after - whole):
            return


def _cpu_times() -> tuple[int, int]:
    """Idle time and all time of the processors, in ticks since the start of the machine."""
    ticks = [int(word) for word in _CPU_TIMES.read_text().split("\n", 1)[0].split()[1:]]
    return ticks[3] + ticks[4], sum(ticks)


def _table() -> dict[int, tuple[int, int, str]]:
    """pid -> (parent pid, resident kilobytes, command line)."""
    out = subprocess.run(
        ["ps", "-axo", "pid=,ppid=,rss=,args="], capture_output=True, text=True, check=True
    ).stdout
    table = {}
    for line in out.splitlines():
        pid, parent, rss, args = line.split(None, 3)
        table[int(pid)] = (int(parent), int(rss), args)
    return table
