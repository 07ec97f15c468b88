"""What measurements of random declarations share: their command line, and ago on a copy."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.subject import Subject


def sampling_parser(about: str | None, count: int) -> argparse.ArgumentParser:
    """--repo, --count (default `count`), --seed, --home and --json."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="folder of caches that are kept")
    parser.add_argument("--json", type=Path, help="write the record there")
    return parser


@contextmanager
def copied(repo: Path, home: Path | None) -> Iterator[Subject]:
    """ago on a copy of a repository with its history; its daemon ends with it."""
    with tempfile.TemporaryDirectory(prefix="ago-bench-") as scratch:
        root = Path(shutil.copytree(repo, Path(scratch, "repo"), symlinks=True))
        subject = Subject(root, home or Path(scratch))
        try:
            yield subject
        finally:
            subject.stop()
