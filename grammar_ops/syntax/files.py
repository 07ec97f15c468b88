"""Paths of files as callers write them."""

from __future__ import annotations


def clean_path(path: str) -> str:
    """A path below the workspace, without a leading `./` and without empty parts."""
    return "/".join(part for part in path.strip().split("/") if part not in ("", "."))
