"""Finding: one thing that doctor has looked at."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what was found, whether it will do, and how to mend it if not."""

    what: str
    ok: bool
    found: str
    mend: str = ""


def probe_folder(folder: Path) -> str:
    """Why a folder can't be written, "" when it can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"ago")
    except OSError as error:
        return str(error.strerror)
    return ""
