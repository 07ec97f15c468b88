"""A request of the log as a line of text.

Invariant: shows what the row holds and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ago.fronts.cli.paint import Paint, printable
from grammar_ops.reject import Json


def show_row(row: Mapping[str, Json], paint: Paint) -> str:
    """One request as a line."""
    outcome = str(row.get("outcome"))
    tint = {"rejected": "red", "failed": "red bold", "accepted": "green"}.get(outcome, "dim")
    name = ".".join(str(row[key]) for key in ("pkg", "sym") if row.get(key))
    number = f"edit {row['edit']}" if row.get("edit") else ""
    again = f"sent {int(cast(int, row['resent'])) + 1} times" if row.get("resent") else ""
    dry = "dry run" if row.get("dry_run") else ""
    words = (row.get("kind"), name, row.get("reason") or row.get("key"), number, dry, again)
    about = "  ".join(str(word) for word in words if word)
    clock = str(row.get("ts"))[11:23]
    head = f"{paint('dim', clock)} {paint(tint, outcome.ljust(8))} {str(row.get('op')).ljust(12)}"
    return f"{head} {row.get('ms'):>7} ms  {printable(about)}".rstrip()
