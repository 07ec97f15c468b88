"""Replay real commits through ago and compare each tree with the commit's, byte for byte.

Usage: python -m bench.oracle --repo DIR --commits N [--json OUT] [--only COMMIT] [--work DIR]

The newest N changes of the first-parent line are taken, merges left out. The repository is never
touched: a clone shares its objects. What is no Go source (go.mod, testdata, docs) already is the
commit's when the Go part is replayed. 1 when an edit was refused or came out different, else 0.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from bench.oracle.history import Checkout
from bench.oracle.report import Report
from bench.oracle.run import Run


def main() -> int:
    """Replay and report."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="ago-oracle-") as scratch:
        work = args.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        checkout = Checkout(args.repo, work / args.repo.name)
        commits = checkout.list_commits(args.commits)
        if args.only:
            commits = [commit for commit in commits if commit.id.startswith(tuple(args.only))]
        report = Report(args.repo.name, len(commits))
        run = Run(checkout, work / "home" / "cache", work / "home" / "state")
        try:
            for number, commit in enumerate(commits, 1):
                started = time.monotonic()
                outcome = run.replay(commit)
                report.add(commit, outcome, time.monotonic() - started)
                line = report.line(commit, outcome, time.monotonic() - started)
                print(f"{number}/{len(commits)} {line}", file=sys.stderr, flush=True)
                if args.keep and outcome and outcome.verdict != "equal":
                    args.keep.mkdir(parents=True, exist_ok=True)
                    record = {"patch": outcome.patch, "answer": outcome.answer}
                    (args.keep / f"{commit.id[:9]}.json").write_text(json.dumps(record, indent=1))
        finally:
            run.close()
    print(report.text())
    if args.json:
        args.json.write_text(json.dumps(report.record(), indent=1) + "\n")
    return 1 if report.faults else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.oracle", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", type=Path, help="folder for the clone and the caches, kept")
    parser.add_argument("--only", action="append", help="commits to replay, by id")
    parser.add_argument("--keep", type=Path, help="folder for what is not equal")
    args = parser.parse_args()
    args.repo, args.work = args.repo.resolve(), args.work and args.work.resolve()
    return args


if __name__ == "__main__":
    sys.exit(main())
