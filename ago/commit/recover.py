"""Recovery: finish or take back the commits that a crash interrupted.

Invariant: runs under the root's lock, before the first request; a path that holds neither the old
nor the new content is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ago.commit.commit import (
    drop_temps,
    read_if_there,
    record_edit,
    remove_folders,
    root_lock,
    swap_step,
    unswap_step,
)
from ago.commit.exchange import sync_folder
from ago.commit.history import History
from ago.commit.journal import Journal, Step, close_journal, digest, open_intents, open_journals


@dataclass(frozen=True)
class Recovered:
    """One interrupted commit: its edit number when it was finished, else what stood in the way."""

    txn: str
    edit: int
    foreign: tuple[str, ...]
    """Paths that somebody else wrote meanwhile: untouched; the rest of the edit was taken back."""


def recover(root: Path, history: History) -> list[Recovered]:
    """Finish interrupted commits whose paths all hold old or new content, take back the others."""
    with root_lock(history.state):
        done = [
            _recover(journal, record, history)
            for record, journal in open_journals(history.state)
            if journal.root == str(root)
        ]
        for intent, temps, folders in open_intents(history.state):
            drop_temps(temps, intent)
            remove_folders(folders)
    return done


def _recover(journal: Journal, record: Path, history: History) -> Recovered:
    found = {step.path: read_if_there(Path(step.target)) for step in journal.steps}
    after = {s.path: _new_content(s, found[s.path]) for s in journal.steps}
    foreign = tuple(s.path for s in journal.steps if digest(found[s.path]) not in (s.base, s.new))
    lost = any(s.new and after[s.path] is None for s in journal.steps)
    if foreign or lost:
        number = record_edit(history, journal, after)
        history.mark_interrupted(number, "interrupted and taken back: " + ", ".join(foreign))
        _take_back(journal, found)
        close_journal(record)
        return Recovered(journal.txn, 0, foreign)
    for step in journal.steps:
        if digest(found[step.path]) != step.new:
            swap_step(step)
    _sync_parents(journal.steps)
    number = record_edit(history, journal, after)
    close_journal(record)
    return Recovered(journal.txn, number, ())


def _new_content(step: Step, found: bytes | None) -> bytes | None:
    """The new bytes, which the target or the temporary file holds; None when deleted (or lost)."""
    if digest(found) == step.new:
        return found
    temp = read_if_there(Path(step.temp))
    return temp if step.new and digest(temp) == step.new else None


def _take_back(journal: Journal, found: dict[str, bytes | None]) -> None:
    for step in journal.steps:
        if digest(found[step.path]) == step.new and _holds_old(step):
            unswap_step(step)
    _sync_parents(journal.steps)


def _holds_old(step: Step) -> bool:
    """Whether the old content can be swapped back (a created file has none to bring back)."""
    return step.creates or digest(read_if_there(Path(step.temp))) == step.base


def _sync_parents(steps: Sequence[Step]) -> None:
    for parent in {Path(step.target).parent for step in steps}:
        if parent.is_dir():
            sync_folder(parent)
