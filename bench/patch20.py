"""Compare a patch of 20 ops on one file with a patch of one op of it.

Usage: python -m bench.patch20 --repo DIR [--files N] [--rounds N] [--home DIR] [--json OUT]

The ops are statements and docs of 20 functions of one file by turns, for N files of the repository;
a patch of one is either kind, half and half as in the patch of 20. Patches are dry runs, so that
nothing is written, and alternate, so that all see the same machine. The ratio of a file is that of
the medians; 1 when the median ratio is above 2, else 0. `--home` keeps the caches, so that the next
run need not compile the dependencies.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.subject import Subject
from grammar_ops.syntax.decls import list_decls
from grammar_ops.syntax.parse import parse

OPS, BOUND = 20, 2.0
Op = dict[str, Any]


def main() -> int:
    """Measure and report."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="ago-patch20-") as home:
        root = Path(home) / args.repo.name
        clone = ["git", "clone", "-q", "-s", str(args.repo.resolve()), str(root)]
        subprocess.run(clone, check=True)
        subject = Subject(root, args.home or Path(home))
        try:
            files = [measure(subject, ops, args.rounds) for ops in pick(root, args.files)]
        finally:
            subject.stop()
    ratio = statistics.median(file["ratio"] for file in files)
    record = {"repo": args.repo.name, "rounds": args.rounds, "ratio": ratio, "files": files}
    print(json.dumps(record, indent=1))
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    return int(ratio > BOUND)


def pick(repo: Path, count: int) -> list[list[Op]]:
    """The ops for files with enough functions, spread over the repository."""
    found = []
    for path in sorted(repo.rglob("*.go")):
        if {"testdata", "vendor"}.isdisjoint(path.parts) and not path.name.endswith("_test.go"):
            ops = list_ops(repo, path)
            found += [ops] if len(ops) == OPS else []
    return found[:: max(1, len(found) // count)][:count]


def list_ops(repo: Path, path: Path) -> list[Op]:
    """One op for each of the first functions of a file, by turns a statement and a doc."""
    src, pkg = path.read_bytes(), path.parent.relative_to(repo).as_posix()
    if b"Code generated" in src:
        return []
    decls = [
        d for d in list_decls(parse(src), src) if d.body_span and d.sym not in ("init", "main")
    ]
    return [
        {"op": "add_assign", "at": "n0", "where": "first", "lhs": "_", "rhs": str(number)}
        | {"pkg": pkg, "sym": decl.sym}
        if number % 2
        else {"op": "set_doc", "pkg": pkg, "sym": decl.sym, "text": f"{decl.name} does {number}."}
        for number, decl in enumerate(decls[:OPS])
    ]


def measure(subject: Subject, ops: list[Op], rounds: int) -> dict[str, Any]:
    """The medians of both patches in milliseconds, after one of each that is not counted."""
    patches = {"doc_ms": ops[:1], "statement_ms": ops[1:2], "many_ms": ops}
    times: dict[str, list[float]] = {name: [] for name in patches}
    for _ in range(rounds + 1):
        for name, patch in patches.items():
            ms, answer = subject.call("patch", ops=patch, dry_run=True)
            assert answer.get("would") == "accepted", answer
            times[name].append(ms)
    medians = {name: statistics.median(taken[1:]) for name, taken in times.items()}
    one = (medians["doc_ms"] + medians["statement_ms"]) / 2
    return {"pkg": ops[0]["pkg"], **medians, "ratio": medians["many_ms"] / one}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.patch20", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--files", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
