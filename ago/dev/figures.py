"""Measured figures as Markdown tables, read from what the benchmarks wrote.

Invariant: every number comes from a file in bench/evidence; nothing is typed in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

EVIDENCE = Path("bench", "evidence")


def list_perf(checkout: Path) -> str:
    """Times and memory beside gopls, on one repository."""
    report = _read(checkout, "perf-traefik.json")
    rows = []
    for row, tools in report["median"].items():
        unit = report["units"][row]
        cells = [_number(tools[tool]) if tool in tools else "" for tool in ("ago", "gopls")]
        rows.append([row, unit, *cells])
    return _table(["", "", "ago", "gopls"], rows)


def list_growth(checkout: Path) -> str:
    """Times and memory over sizes of generated modules."""
    report = _read(checkout, "growth.json")
    rows = [[row, *map(_number, values)] for row, values in report["rows"].items()]
    return _table(["", *(f"{size} packages" for size in report["sizes"])], rows)


def list_agreement(checkout: Path) -> str:
    """How often the resident checker and the go command were of one mind."""
    rows = []
    for file in sorted((checkout / EVIDENCE).glob("agree-*.json")):
        for name, report in json.loads(file.read_text()).items():
            judged = sum(report["judged"].values())
            accepted = sum(report["accepted"].values())
            rows.append([name, str(judged), str(accepted), str(len(report["disagreements"]))])
    return _table(["code", "mutations", "accepted by both", "disagreements"], rows)


def list_replays(checkout: Path) -> str:
    """What became of commits that were replayed as ops."""
    rows = []
    for file in sorted((checkout / EVIDENCE).glob("oracle-*.json")):
        report = json.loads(file.read_text())
        verdicts = report["verdicts"]["go only"]
        words = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        share = f"{report['expressible_of_go_only']:.0%}"
        rows.append([report["repo"], str(sum(verdicts.values())), words, share])
    return _table(["repository", "commits of Go files alone", "verdicts", "equal"], rows)


def _read(checkout: Path, name: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((checkout / EVIDENCE / name).read_text())
    return report


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
