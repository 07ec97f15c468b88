"""How much memory this process holds.

Invariant: an answer of 0 means that the system does not say.
"""

from __future__ import annotations

import resource
from pathlib import Path


def resident_mb() -> int:
    """Resident megabytes of this process; where there is no /proc, the most it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 20
    return pages * resource.getpagesize() >> 20
