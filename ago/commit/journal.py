"""The journal: what a commit is about to do, durable before the first name changes.

Invariant: a journal that exists describes a commit that may be half done; without one, the commit
never began or is over.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ago.commit.exchange import sync_folder


@dataclass(frozen=True)
class Step:
    """One path of a commit. Hashes are sha256 hex, "" = absent; temp is beside the real target."""

    path: str
    target: str
    """Real file, absolute (a symlink's target)."""
    temp: str
    base: str
    new: str
    mode: int
    before: bytes | None

    @property
    def creates(self) -> bool:
        """Whether the path did not exist before."""
        return not self.base

    @property
    def deletes(self) -> bool:
        """Whether the path does not exist afterwards."""
        return not self.new


@dataclass(frozen=True)
class Journal:
    """A commit's whole intent, with what history will say of it."""

    root: str
    txn: str
    steps: tuple[Step, ...]
    folders: tuple[str, ...]
    """Folders that the commit makes, outermost first, absolute."""
    title: str
    request: str
    undo_of: int


def digest(data: bytes | None) -> str:
    """sha256 hex of the bytes, "" for an absent file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def journal_folder(state: Path) -> Path:
    """Where the journals of a root live."""
    return state / "journal"


def write_journal(state: Path, journal: Journal) -> Path:
    """Write and flush; returns its path."""
    folder = journal_folder(state)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{journal.txn}.json"
    partial = path.with_suffix(".part")
    with partial.open("wb") as out:
        out.write(json.dumps(_encode(journal)).encode())
        out.flush()
        os.fsync(out.fileno())
    partial.rename(path)
    sync_folder(folder)
    return path


def close_journal(path: Path) -> None:
    """The done record: the journal's removal, flushed."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_intent(state: Path, journal: Journal) -> Path:
    """Note temporary files and folders before they are made, so that a crash leaves none."""
    folder = journal_folder(state)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{journal.txn}.intent"
    litter = {"temps": [s.temp for s in journal.steps], "folders": list(journal.folders)}
    path.write_text(json.dumps(litter))
    return path


def open_intents(state: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """The intents of commits that died: (intent, temporary files, folders)."""
    for path in journal_folder(state).glob("*.intent"):
        try:
            litter = json.loads(path.read_text())
        except ValueError:  # died while it was written: nothing was made yet
            litter = {"temps": [], "folders": []}
        yield path, litter["temps"], litter["folders"]


def open_journals(state: Path) -> Iterator[tuple[Path, Journal]]:
    """The journals of commits that were interrupted, oldest first; partial ones are removed."""
    folder = journal_folder(state)
    if not folder.is_dir():
        return
    for partial in folder.glob("*.part"):
        partial.unlink()
    for path in sorted(folder.glob("*.json"), key=lambda p: p.stat().st_mtime_ns):
        yield path, _decode(json.loads(path.read_bytes()))


def _encode(journal: Journal) -> dict[str, object]:
    whole = asdict(journal)
    for step in whole["steps"]:
        if step["before"] is not None:
            step["before"] = base64.b64encode(step["before"]).decode()
    return whole


def _decode(raw: dict[str, object]) -> Journal:
    shallow = Journal(**raw)  # type: ignore[arg-type]  # the fields are those that _encode wrote
    return replace(
        shallow,
        steps=tuple(_decode_step(step) for step in raw["steps"]),  # type: ignore[attr-defined]
        folders=tuple(shallow.folders),
    )


def _decode_step(raw: dict[str, object]) -> Step:
    before = raw["before"]
    data = None if before is None else base64.b64decode(str(before))
    return Step(**{**raw, "before": data})  # type: ignore[arg-type]
