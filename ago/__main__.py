"""`python -m ago`: the command line in this process; also how daemons are started."""

from __future__ import annotations

import gc
import sys

YOUNG_OBJECTS = 100_000
"""Modules, rows and trees come in such numbers, and hardly any of them in cycles."""


def run() -> int:
    """Run the command line of this process and return its exit code."""
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
    # Importing makes enough objects to be worth it.
    from ago.main import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
