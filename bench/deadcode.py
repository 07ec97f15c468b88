"""Compare the functions that `unused` names with those that `deadcode -test ./...` names.

Usage: python -m bench.deadcode --repo DIR --deadcode BINARY [--home DIR] [--json OUT]

`deadcode` (golang.org/x/tools/cmd/deadcode) starts from mains and tests alone; `unused` takes
exported names as used, too, so that it names fewer. 1 when it names a function that deadcode does
not, else 0. Works on a copy; the record holds counts alone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.sampling import copied, sampling_parser
from bench.subject import Subject

_LINE = re.compile(r"(?P<path>\S+?):(?P<line>\d+):\d+: unreachable func: ")
_FUNCTIONS = ("func", "method")


def main() -> int:
    """Parse the command line, compare, print."""
    parser = sampling_parser(__doc__, 0)
    parser.add_argument("--deadcode", type=Path, required=True)
    args = parser.parse_args()
    with copied(args.repo, args.home) as subject:
        subject.run("status", "--wait")
        record = compare(subject, args.deadcode.resolve())
    record = {"repository": args.repo.name, **record}
    print(json.dumps(record, indent=1))
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if record["named_by_ago_alone"] else 0


def compare(subject: Subject, deadcode: Path) -> dict[str, Any]:
    """How many functions each names, and how many ago alone."""
    _, answer = subject.call("query", kind="unused", max_tokens=1_000_000)
    found = [row for row in answer["unused"] if row["kind"] in _FUNCTIONS]
    run = [str(deadcode), "-test", "./..."]
    done = subprocess.run(run, cwd=subject.root, capture_output=True, text=True, check=True)
    dead = {
        (line["path"], line["line"]) for line in map(_LINE.match, done.stdout.splitlines()) if line
    }
    alone = [row for row in found if tuple(row["pos"].split(":")[:2]) not in dead]
    for row in alone:
        print("not named by deadcode:", row["pos"], row["sym"], file=sys.stderr)
    return {
        "functions_named_by_deadcode": len(dead),
        "functions_named_by_ago": len(found),
        "named_by_ago_alone": len(alone),
        "declarations_named_by_ago": answer["count"],
    }


if __name__ == "__main__":
    sys.exit(main())
