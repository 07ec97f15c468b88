"""Canonical form of the golden archives, and what is written of the catalog.

Invariant: only layout changes here; what a case expects is changed by the test run alone.
"""

from __future__ import annotations

from pathlib import Path

from ago.catalog.listing import tool_list
from ago.dev import txtar
from grammar_ops.catalog import CATALOG, catalog_version, op_schema

GOLDEN_FOLDERS = {"ops", "patch", "field"}


def refresh(checkout: Path, *, write: bool) -> list[Path]:
    """Files under testdata that were not canonical; rewritten with `write`."""
    wanted = {
        path: canonical_archive(path) for path in sorted(checkout.rglob("testdata/**/*.txtar"))
    }
    wanted[checkout / "testdata" / "catalog.json"] = render_catalog()
    wanted[checkout / "ago" / "catalog" / "tools.json"] = txtar.render_json([*tool_list()])
    stale = [path for path, text in wanted.items() if read(path) != text]
    if write:
        for path in stale:
            path.write_bytes(wanted[path])
    return stale


def canonical_archive(path: Path) -> bytes:
    """The bytes that an archive should have; the order of files is the case's own elsewhere."""
    archive = txtar.parse(path.read_bytes())
    golden = set(path.parts) & GOLDEN_FOLDERS
    return txtar.render(txtar.canonical(archive) if golden else archive)


def render_catalog() -> bytes:
    """The ops with the schemas of their arguments: a change of the wire shows up as one hunk."""
    ops = {name: op_schema(op)["properties"] for name, op in CATALOG.items()}
    return txtar.render_json({"version": catalog_version(), "ops": ops})


def read(path: Path) -> bytes | None:
    """The bytes of a file, None when there is none."""
    return path.read_bytes() if path.exists() else None
