"""Plots of benchmark figures, one bar per tool and row, or a line per row over sizes."""

from __future__ import annotations

from pathlib import Path


def plot_rows(medians: dict[str, dict[str, float]], units: dict[str, str], out: Path) -> None:
    """Horizontal bars on a logarithmic scale, all rows in milliseconds or megabytes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rows = list(reversed(medians))
    tools = sorted({tool for values in medians.values() for tool in values})
    figure, axes = plt.subplots(figsize=(10, 0.5 * len(rows) + 1.5))
    height = 0.8 / len(tools)
    for k, tool in enumerate(tools):
        ys = [i + k * height for i, row in enumerate(rows) if tool in medians[row]]
        values = [
            medians[row][tool] * (1000 if units[row] == "s" else 1)
            for row in rows
            if tool in medians[row]
        ]
        bars = axes.barh(ys, values, height, label=tool)
        axes.bar_label(bars, fmt="%.0f", fontsize=7)
    axes.set_yticks([i + 0.4 for i in range(len(rows))], rows, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel("ms (memory: MB), median, logarithmic")
    axes.legend()
    figure.tight_layout()
    figure.savefig(out, dpi=110)


def plot_growth(sizes: list[int], rows: dict[str, list[float]], out: Path) -> None:
    """One line per row over the number of packages, both axes logarithmic; milliseconds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5))
    for row, values in rows.items():
        axes.plot(sizes, values, marker="o", label=row)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [str(s) for s in sizes])
    axes.set_xlabel("packages")
    axes.set_ylabel("ms (memory: MB), median")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(out, dpi=110)
