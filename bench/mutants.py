"""Mutate functions one by one; every test that fails must be among those that `tests_for` names.

Usage: python -m bench.mutants --repo DIR [--count 50] [--seed 1] [--json OUT]

A mutant panics where its function begins. A panic ends a test binary, so the tests that failed are
left out and the rest runs again, up to some rounds. Works on a copy; the record holds counts alone.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.queries import Symbol, list_symbols
from bench.sampling import copied, sampling_parser
from bench.subject import Subject

ROUNDS = 3
_FUNCTIONS = ("func", "method")


def main() -> int:
    """Parse the command line, mutate, print; 1 when a test failed that was not named."""
    parser = sampling_parser(__doc__, 50)
    args = parser.parse_args()
    with copied(args.repo, args.home) as subject:
        subject.run("status", "--wait")
        record = measure(subject, args.count, args.seed)
    record = {"repository": args.repo.name, **record}
    print(json.dumps(record, indent=1))
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if record["missed"] else 0


def measure(subject: Subject, count: int, seed: int) -> dict[str, Any]:
    """What mutants of `count` functions made fail, and how many of it was not named."""
    functions = [
        symbol
        for symbol in list_symbols(subject)
        if symbol.kind in _FUNCTIONS and not symbol.path.endswith("_test.go")
    ]
    chosen = random.Random(seed).sample(functions, min(count, len(functions)))
    stand = failing(subject.root, set())
    noticed = failed = missed = named = 0
    for symbol in chosen:
        wanted = tests_for(subject, symbol)
        found = mutate(subject, symbol, stand)
        strange = found - wanted
        for test in sorted(strange):
            print("not named:", symbol.pkg, symbol.sym, test, file=sys.stderr)
        noticed += bool(found)
        failed, missed, named = failed + len(found), missed + len(strange), named + len(wanted)
    return {
        "mutants": len(chosen),
        "seed": seed,
        "noticed": noticed,
        "tests_failed": failed,
        "tests_named": named,
        "missed": missed,
    }


def tests_for(subject: Subject, symbol: Symbol) -> set[str]:
    """The names of the tests that ago says reach a function."""
    address = f"{symbol.pkg}.{symbol.sym}"
    _, answer = subject.call("query", kind="tests_for", sym=address, max_tokens=1_000_000)
    return {row["sym"] for row in answer["tests"]}


def mutate(subject: Subject, symbol: Symbol, stand: set[str]) -> set[str]:
    """The tests that fail because a function panics."""
    _, shown = subject.call("view", sym=f"{symbol.pkg}.{symbol.sym}")
    file = subject.root / shown["pos"].rsplit(":", 2)[0]
    before = file.read_bytes()
    head = shown["text"].partition("\n")[0]
    at = before.find(head.rstrip().encode())
    if at < 0 or not head.rstrip().endswith("{"):
        return set()
    end = at + len(head.rstrip().encode())
    file.write_bytes(before[:end] + b'; if true { panic("mutant") }; ' + before[end:])
    found: set[str] = set()
    try:
        for _ in range(ROUNDS):
            more = failing(subject.root, stand | found) - found - stand
            found |= more
            if not more:
                break
    finally:
        file.write_bytes(before)
    return found


def failing(root: Path, skipped: set[str]) -> set[str]:
    """The tests that fail when all but some are run."""
    skip = [f"-skip=^({'|'.join(sorted(skipped))})$"] if skipped else []
    done = subprocess.run(
        ["go", "test", "-json", "-vet=off", *skip, "./..."],
        cwd=root, capture_output=True, check=False,
    )  # fmt: skip
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    return {
        event["Test"].partition("/")[0]
        for event in events
        if event.get("Action") == "fail" and event.get("Test")
    }


if __name__ == "__main__":
    sys.exit(main())
