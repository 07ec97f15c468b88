"""Time every kind of question about random symbols of a repository, through the daemon.

Usage: python -m bench.queries --repo DIR [--count 500] [--seed 1] [--kinds refs,callers]
[--json OUT]

The daemon is stopped and started again on its own facts before anything is timed, and no question
may start a checker after that. Each question is asked several times in a row and its fastest time
counts: the others are those of a busy machine. Works on a copy; the record holds figures alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import sys
from collections import defaultdict
from typing import Any, NamedTuple

from ago.queries.catalog import QUERIES
from bench.sampling import copied, sampling_parser
from bench.subject import Subject

TRIES = 3
GRAPHS = ("unused", "impact", "callgraph", "effects", "tests_for")
"""Kinds that walk the whole program; they are held to another limit."""
GIT = ("history", "diff")
"""Kinds that wait for git, and have no limit."""


class Symbol(NamedTuple):
    """A declaration of the repository."""

    pkg: str
    sym: str
    kind: str
    path: str
    pos: str
    """`file:line:col` of its name."""


def main() -> int:
    """Parse the command line, measure, print."""
    args = _arguments()
    kinds = args.kinds.replace(",", " ").split() or list(QUERIES)
    with copied(args.repo, args.home) as subject:
        figures = measure(subject, kinds, args.count, args.seed)
        record = {"repository": args.repo.name, **figures}
    for kind, row in record["kinds"].items():
        print(kind.ljust(16), *(f"{name} {value}" for name, value in row.items()))
    print("checkers started:", record["checkers_started"])
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    return 0


def measure(subject: Subject, kinds: list[str], count: int, seed: int) -> dict[str, Any]:
    """Ask `count` questions of each kind; figures by kind."""
    subject.run("status", "--wait")
    subject.stop()
    subject.run("status", "--wait")
    symbols = list_symbols(subject)
    rng = random.Random(seed)
    chosen = [rng.choice(symbols) for _ in range(count)]
    times: dict[str, list[float]] = defaultdict(list)
    sizes: dict[str, list[int]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    before = checkers(subject)
    for kind in kinds:
        for symbol in chosen:
            args = question(kind, symbol)
            if args is None:
                continue
            tries = [subject.call("query", kind=kind, **args) for _ in range(TRIES)]
            times[kind].append(min(ms for ms, _ in tries))
            sizes[kind].append(len(json.dumps(tries[0][1], separators=(",", ":"))))
            refused[kind] += tries[0][1]["status"] != "ok"
    return {
        "symbols": len(symbols),
        "asked": count,
        "seed": seed,
        "tries": TRIES,
        "cpus": os.cpu_count(),
        "checkers_started": len(checkers(subject) - before),
        "kinds": {
            kind: {
                "asked": len(times[kind]),
                "refused": refused[kind],
                "median_ms": round(statistics.median(times[kind]), 2),
                "worst_ms": round(max(times[kind]), 2),
                "median_bytes": int(statistics.median(sizes[kind])),
                "worst_bytes": max(sizes[kind]),
            }
            for kind in kinds
            if times[kind]
        },
    }


def list_symbols(subject: Subject) -> list[Symbol]:
    """Every declared symbol, from the facts themselves."""
    rows = open_facts(subject).execute(
        "SELECT DISTINCT s.pkg, s.sym, o.kind, p.path,"
        " p.path || ':' || o.name_line || ':' || o.name_col FROM object o"
        " JOIN symbol s ON s.id = o.symbol JOIN path p ON p.id = o.path"
        " WHERE s.sym NOT LIKE '%\\_' ESCAPE '\\' ORDER BY 1, 2, 4"
    )
    return [Symbol(*row) for row in rows]


def open_facts(subject: Subject) -> sqlite3.Connection:
    """The facts of the repository, for reading."""
    files = (subject.cache / "ago" / "facts").glob("*/facts.db")
    newest = max(files, key=lambda file: file.stat().st_mtime)
    return sqlite3.connect(f"file:{newest}?mode=ro", uri=True)


def checkers(subject: Subject) -> set[str]:
    """The checkers of the repository that run, by process number."""
    return {name for name in subject.memory() if "agocheck" in name}


def question(kind: str, symbol: Symbol) -> dict[str, str] | None:
    """The arguments of a question about a symbol, None where the kind does not fit it."""
    pkg = symbol.pkg.removesuffix("_test")
    function = symbol.kind in ("func", "method", "interface_method")
    address = {"sym": f"{symbol.pkg}.{symbol.sym}"}
    match kind:
        case "callers" | "callees" | "callgraph" | "effects":
            return address if function else None
        case "implementations":
            return address if symbol.kind in ("type", "method", "interface_method") else None
        case "writes":
            return address if symbol.kind in ("field", "var") else None
        case "search" | "text":
            return {"q": symbol.sym.rpartition(".")[2]}
        case "imports" | "importers" | "unused" | "diagnostics":
            return {"pkg": pkg}
        case "outline":
            return {"sym": symbol.path}
        case "meaning":
            return {"sym": symbol.pos}
        case "diff" | "status":
            return {}
    return address


def _arguments() -> argparse.Namespace:
    parser = sampling_parser(__doc__, 500)
    parser.add_argument("--kinds", default="", help="only these kinds")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
