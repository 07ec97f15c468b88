"""Commit: write an approved edit to the disk, all of it or nothing (gate rules, "Commit").

Invariant: takes Approved and nothing else; an outside write is never lost, since what came out of
each exchange is compared with the base.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ago.commit.exchange import exchange, place, sync_folder
from ago.commit.history import History, HistoryFile
from ago.commit.journal import Journal, Step, close_journal, digest, write_intent, write_journal
from ago.stages import Approved, DraftFile, Receipt
from grammar_ops.reject import Reject, register

register(
    "commit",
    {
        "changed_on_disk": "a file changed on the disk after the edit was planned; plan again",
        "outside_root": "a file's real place is outside the workspace (a symlink leads out)",
        "not_writable": "a file or folder can't be replaced (read-only, mounted, no permission)",
    },
)

NEW_FILE_MODE = 0o644


@dataclass(frozen=True)
class Note:
    """What history says of an edit: title, request as JSON, the edit it takes back (0 = none)."""

    title: str
    request: str = "{}"
    undo_of: int = 0


def commit(
    approved: Approved,
    *,
    root: Path,
    history: History,
    note: Note,
    on_step: Callable[[str], None] = lambda _name: None,
) -> Receipt:
    """Write the edit; Reject changed_on_disk, outside_root or not_writable when it can't be.

    `on_step` is told the name of each step before it is taken.
    """
    verdict = approved.verdict
    files = [f for f in verdict.candidate.files.values() if f.text != f.base]
    with root_lock(history.state):
        journal = _plan(root, files, note, _modes_to_keep(approved, root, history, note))
        on_step("intent")
        intent = write_intent(history.state, journal)
        on_step("temps")
        _write_temps(journal, files, intent)
        on_step("journal")
        record = write_journal(history.state, journal)
        _exchange_all(journal, record, intent, on_step)
        on_step("history")
        number = record_edit(history, journal, {f.path: f.text for f in files})
        on_step("done")
        finish(journal, record, intent)
        _remove_emptied(root, [Path(step.target) for step in journal.steps if step.deletes])
    return Receipt(
        edit=number,
        files=tuple(sorted(f.path for f in files)),
        created=tuple(s.path for s in journal.steps if s.creates),
        deleted=tuple(s.path for s in journal.steps if s.deletes),
        token=verdict.token,
        renames=verdict.candidate.draft.renames,
        moves=verdict.candidate.draft.moves,
    )


def foresee(files: Iterable[DraftFile], root: Path) -> None:
    """Reject what `commit` would reject of these files as the disk is now."""
    mounts = _mount_points()
    for file in files:
        _plan_step(root, mounts, file, ".ago", NEW_FILE_MODE)


@contextmanager
def root_lock(state: Path) -> Iterator[None]:
    """Hold the root's lock: one commit or recovery at a time, across processes."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    fd = os.open(state / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def record_edit(history: History, journal: Journal, after: dict[str, bytes | None]) -> int:
    """Write the committed edit to history; returns its number."""
    rows = [HistoryFile(s.path, s.before, after[s.path], s.mode) for s in journal.steps]
    return history.record(journal.txn, journal.title, journal.request, journal.undo_of, rows)


def finish(journal: Journal, record: Path, intent: Path) -> None:
    """Close the journal, then remove the temporary files, which hold the old contents now."""
    close_journal(record)
    drop_temps([step.temp for step in journal.steps], intent)


def drop_temps(temps: Sequence[str], intent: Path) -> None:
    """Remove the temporary files of a commit, and at last the note that they were there."""
    for temp in temps:
        Path(temp).unlink(missing_ok=True)
        Path(temp + ".old").unlink(missing_ok=True)
    intent.unlink(missing_ok=True)


def read_if_there(path: Path) -> bytes | None:
    """The bytes of a regular file, None when there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def swap_step(step: Step) -> bytes | None:
    """Bring one step's new content to its name; returns what was there (None = nothing)."""
    temp, target = Path(step.temp), Path(step.target)
    if step.deletes:
        target.rename(temp)
        return read_if_there(temp)
    if step.creates:
        place(temp, target)
        return None
    exchange(temp, target)
    return read_if_there(temp)


def unswap_step(step: Step) -> None:
    """Take one swapped step back: the old content returns to its name."""
    temp, target = Path(step.temp), Path(step.target)
    if step.deletes:
        place(temp, target)
    elif step.creates:
        target.rename(temp)
    else:
        exchange(temp, target)


def remove_folders(folders: Sequence[str]) -> None:
    """Remove the folders that a commit made, innermost first, as far as they are empty."""
    for folder in reversed(folders):
        try:
            Path(folder).rmdir()
        except OSError:
            return


def _remove_emptied(root: Path, deleted: Sequence[Path]) -> None:
    """Remove the folders that held deleted files alone; version control knows no empty ones."""
    for path in deleted:
        for folder in path.parents:
            if folder == root.resolve() or not folder.is_relative_to(root.resolve()):
                break
            try:
                folder.rmdir()
            except OSError:  # something is left in it
                break


def _modes_to_keep(
    approved: Approved, root: Path, history: History, note: Note
) -> Mapping[str, int]:
    """The mode of files that are made anew: the source's of a moved one, the former of one that
    an undo brings back."""
    candidate, modes = approved.verdict.candidate, {}
    for moved in candidate.moved:
        source = candidate.files.get(moved.source)
        if source is not None and source.text is None and (root / moved.source).exists():
            modes[moved.path] = stat.S_IMODE((root / moved.source).stat().st_mode)
    edit = history.find(note.undo_of) if note.undo_of else None
    return modes | {f.path: f.mode for f in (edit.files if edit else ()) if f.before is not None}


def _plan(root: Path, files: Sequence[DraftFile], note: Note, modes: Mapping[str, int]) -> Journal:
    """Everything the commit will do, nothing of it done; refuses what could not be done whole."""
    mounts = _mount_points()
    txn = f"{time.time_ns():x}{secrets.token_hex(4)}"
    steps = tuple(
        _plan_step(root, mounts, file, f".ago-{txn}-{i}", modes.get(file.path, NEW_FILE_MODE))
        for i, file in enumerate(sorted(files, key=lambda f: f.path))
    )
    folders = _missing_folders(steps)
    return Journal(str(root), txn, steps, folders, note.title, note.request, note.undo_of)


def _plan_step(
    root: Path, mounts: frozenset[str], file: DraftFile, temp_name: str, mode: int
) -> Step:
    target = (root / file.path).resolve()
    if not target.is_relative_to(root.resolve()):
        raise Reject("outside_root", f"{file.path} is {target}")
    if target.is_dir():
        raise Reject("not_writable", f"{file.path} is a folder")
    if str(target) in mounts:
        raise Reject("not_writable", f"{file.path} is a mount point")
    if file.text is None and (root / file.path).is_symlink():
        raise Reject("not_writable", f"{file.path} is a symbolic link: its target would go")
    found = read_if_there(target)
    if found != file.base:
        raise _changed(file.path)
    if found is not None:
        mode = stat.S_IMODE(target.stat().st_mode)
        if not mode & 0o222:
            raise Reject("not_writable", f"{file.path} is read-only (mode {mode:o})")
    temp = target.with_name(temp_name)
    return Step(file.path, str(target), str(temp), digest(found), digest(file.text), mode, found)


def _missing_folders(steps: Sequence[Step]) -> tuple[str, ...]:
    missing: dict[str, None] = {}
    for step in steps:
        if step.creates:
            chain = [p for p in Path(step.target).parents if not p.exists()]
            missing.update(dict.fromkeys(str(p) for p in reversed(chain)))
    return tuple(missing)


def _write_temps(journal: Journal, files: Sequence[DraftFile], intent: Path) -> None:
    """The new contents beside their targets, with their final mode and owner, flushed."""
    text = {f.path: f.text for f in files}
    try:
        for folder in journal.folders:
            Path(folder).mkdir()
        for step in journal.steps:
            data = text[step.path]
            if data is not None:
                _write_temp(step, data)
        for parent in {Path(step.target).parent for step in journal.steps}:
            sync_folder(parent)
    except OSError as err:
        drop_temps([step.temp for step in journal.steps], intent)
        remove_folders(journal.folders)
        raise Reject("not_writable", f"{err.filename}: {err.strerror}") from err


def _write_temp(step: Step, data: bytes) -> None:
    fd = os.open(step.temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as out:
        out.write(data)
        os.fchmod(out.fileno(), step.mode)
        if not step.creates:
            owner = Path(step.target).stat()
            if (owner.st_uid, owner.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(out.fileno(), owner.st_uid, owner.st_gid)
        out.flush()
        os.fsync(out.fileno())


def _exchange_all(
    journal: Journal, record: Path, intent: Path, on_step: Callable[[str], None]
) -> None:
    """Swap every path; if one held something else than the base, swap all back and refuse."""
    swapped: list[Step] = []
    try:
        for step in journal.steps:
            on_step(f"swap {step.path}")
            came_out = swap_step(step)
            swapped.append(step)
            if digest(came_out) != step.base:
                raise _changed(step.path)
    except (Reject, OSError) as err:
        for step in reversed(swapped):
            unswap_step(step)
        finish(journal, record, intent)
        remove_folders(journal.folders)
        raise _refusal(err) from err
    for parent in {Path(step.target).parent for step in journal.steps}:
        on_step(f"sync {parent.name}")
        sync_folder(parent)


def _refusal(err: Reject | OSError) -> Reject:
    if isinstance(err, Reject):
        return err
    if isinstance(err, FileExistsError | FileNotFoundError):
        return _changed(str(err.filename))
    return Reject("not_writable", f"{err.filename}: {err.strerror}")


def _changed(path: str) -> Reject:
    return Reject("changed_on_disk", path)


def _mount_points() -> frozenset[str]:
    """Real paths that are mount points (a bind-mounted file can't be renamed over), Linux only."""
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return frozenset(line.split(" ", 5)[4].replace("\\040", " ") for line in lines)
