"""Resident memory of process trees, read from /proc (Linux) or ps (elsewhere)."""

from __future__ import annotations

import subprocess


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
