"""Edit real code there and back, and compare the bytes.

Usage: python -m bench.roundtrip --repo DIR --count N --seed S [--kind KIND] [--json OUT]

Kinds: rename, move, param (added and removed), field (added and removed), wrap (and unwrapped);
without --kind each in turn. A rejection is no failure and is counted by its reason. After a move,
every declaration must be what it was, with its comments, and each file's imports; the order may
differ. Failures are printed with their seed, which repeats one trip: --seed S --only SEED. 1 when
there was a failure, else 0.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from bench.oracle.history import Checkout
from bench.roundtrip.run import Rounds, Tally
from bench.roundtrip.trips import TRIPS


def main() -> int:
    """Go and report."""
    args = _arguments()
    kinds = [args.kind] if args.kind else list(TRIPS)
    tallies = {kind: Tally() for kind in kinds}
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ago-roundtrip-") as scratch:
        work = args.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        checkout = Checkout(args.repo, work / args.repo.name)
        rounds = Rounds(checkout, work / "home" / "cache", work / "home" / "state")
        try:
            for kind in kinds:
                for number in range(args.count):
                    seed = f"{args.seed}-{kind}-{number}"
                    if args.only and seed != args.only:
                        continue
                    word = rounds.go(kind, seed, tallies[kind])
                    print(f"{kind} {seed}: {word}", file=sys.stderr, flush=True)
        finally:
            rounds.close()
    seconds = round(time.monotonic() - started)
    for kind, tally in tallies.items():
        print(_line(kind, tally))
    if args.json:
        record = {kind: vars(tally) for kind, tally in tallies.items()}
        whole = {"repo": args.repo.name, "seed": args.seed, "seconds": seconds, "kinds": record}
        args.json.write_text(json.dumps(whole, indent=1) + "\n")
    return 1 if any(tally.failures for tally in tallies.values()) else 0


def _line(kind: str, tally: Tally) -> str:
    told = ", ".join(f"{why} {n}" for why, n in tally.rejected.most_common())
    back = ", ".join(f"{why} {n}" for why, n in tally.rejected_back.most_common())
    line = f"{kind}: {tally.back_again} same, {len(tally.failures)} failed; rejected: {told}"
    seeds = "".join(
        f"\n  {bad['seed']} {bad['target']}: {bad['problem']}" for bad in tally.failures
    )
    return f"{line}; back rejected: {back}{seeds}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.roundtrip", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="trips of each kind")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kind", choices=list(TRIPS))
    parser.add_argument("--only", help="the one trip with this seed")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", type=Path, help="folder for the clone and the caches, kept")
    args = parser.parse_args()
    args.repo, args.work = args.repo.resolve(), args.work and args.work.resolve()
    return args


if __name__ == "__main__":
    sys.exit(main())
