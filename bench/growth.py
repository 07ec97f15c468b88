"""How costs grow with the number of packages, on generated modules.

Usage: python -m bench.growth [--sizes 100,400,1600] [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from bench.perf import Run
from bench.plot import plot_growth
from bench.synth import generate


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="bench.growth", description=__doc__)
    parser.add_argument("--sizes", default="100,400,1600")
    parser.add_argument("--json", type=Path, help="write all medians, and a plot beside them")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    rows: dict[str, list[float]] = {}
    for size in sizes:
        for row, value in _measure(size).items():
            rows.setdefault(row, []).append(value)
    for row, values in rows.items():
        print(f"{row:44} " + "   ".join(f"{v:9.1f}" for v in values))
    if args.json:
        args.json.write_text(json.dumps({"sizes": sizes, "rows": rows}, indent=1))
        plot_growth(sizes, rows, args.json.with_suffix(".png"))


def _measure(size: int) -> dict[str, float]:
    """Medians of one size; renames of any symbol share one row."""
    with tempfile.TemporaryDirectory(prefix="ago-growth-") as scratch:
        root = Path(scratch) / f"synth{size}"
        generate(root, size)
        table = Run(root, Path(scratch) / "home", None, [], "").measure()
    out = {}
    for row, tools in table.medians().items():
        scale = 1000 if table.units[row] == "s" else 1
        out["rename" if row.startswith("rename") else row] = tools["ago"] * scale
    return out


if __name__ == "__main__":
    main()
