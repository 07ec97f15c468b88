"""`python -m ago`: the command line in this process; also how daemons are started."""

from __future__ import annotations

import sys

from ago.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
