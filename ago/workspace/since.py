"""The files that changed since an edit or a commit: what they held then, what they hold now.

Invariant: git is asked for names and blobs, and never reads the working tree itself, so no filter
of a checkout runs. Texts are those of files of the file table; of others only names are told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ago.workspace.files import SKIPPED_FOLDERS, is_outside, is_watched
from ago.workspace.git import run_git
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Reject, register

register("workspace", {"unknown_revision": "there is no such edit and no such commit"})

Texts = Mapping[str, bytes]

_REGULAR = "100"
"""How the modes of regular files begin in a tree; links and submodules are left alone."""


@dataclass(frozen=True)
class Since:
    """Both states of the files that differ; a file that one state lacks is not in it."""

    what: str
    """The edit or the commit, for reading."""
    old: Texts
    new: Texts
    commit: str = ""
    """The commit, "" for an edit."""

    @property
    def paths(self) -> list[str]:
        """Every file that differs."""
        return sorted(self.old.keys() | self.new.keys())


def texts_since(snapshot: Snapshot, since: str) -> Since:
    """What changed since an edit number or a revision of git, "" for HEAD.

    Since an edit, files that no edit of `ago log` wrote are not known and left out.
    Raises Reject: unknown_revision, no_git, git_failed.
    """
    if since.isdecimal() and (texts := snapshot.past.texts_after(int(since))) is not None:
        return _differing(snapshot, f"edit {since}", texts)
    commit = _find_commit(snapshot, since or "HEAD")
    return replace(_differing(snapshot, commit, _committed(snapshot, commit)), commit=commit)


def others_since(snapshot: Snapshot, commit: str, is_wanted: Callable[[str], bool]) -> list[str]:
    """The files outside of the file table that differ from a commit's; those that git does not
    know are new, but for ignored ones. Where a checkout translates files, all of them differ."""
    blobs = {path: blob for path, blob in _list_tree(snapshot, commit).items() if blob}
    listing = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = run_git(snapshot.root, listing).decode("utf-8", "replace").split("\0")
    paths = {path for path in (*blobs, *listed) if path and not _is_kept(path) and is_wanted(path)}
    return sorted(p for p in paths if _differs(snapshot.root / p, blobs.get(p, "")))


def _differs(file: Path, blob: str) -> bool:
    """Whether a file is not what a blob, "" for none, holds."""
    try:
        text = file.read_bytes()
    except OSError:
        return blob != ""
    return not any(_name_of(form, len(blob)) == blob for form in (text, _lines(text)))


def _differing(snapshot: Snapshot, what: str, old: Mapping[str, bytes | None]) -> Since:
    now = {path: text for path in old if (text := snapshot.read(path)) is not None}
    then = {path: text for path, text in old.items() if text is not None}
    same = {path for path in then.keys() & now.keys() if _lines(then[path]) == _lines(now[path])}
    return Since(
        what,
        {path: text for path, text in then.items() if path not in same},
        {path: text for path, text in now.items() if path not in same},
    )


def _lines(text: bytes) -> bytes:
    """A text as git keeps it where it translates line ends."""
    return text.replace(b"\r\n", b"\n")


def _find_commit(snapshot: Snapshot, revision: str) -> str:
    ask = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    try:
        return run_git(snapshot.root, ask).decode().strip()
    except Reject as reject:
        if reject.reason != "git_failed":
            raise
        detail = f"{revision}: neither a kept edit nor a commit"
        raise Reject("unknown_revision", detail) from reject


def _committed(snapshot: Snapshot, commit: str) -> dict[str, bytes | None]:
    """The texts that a commit has of the files that differ from it; None where it has none."""
    tree = _list_tree(snapshot, commit)
    blobs = {path: blob for path, blob in tree.items() if blob and _is_kept(path)}
    files = snapshot.files()
    moved = [path for path, blob in blobs.items() if _blob(snapshot, path, len(blob)) != blob]
    texts = _read_blobs(snapshot, [blobs[path] for path in moved])
    fresh = [path for path in files if path not in tree and not is_outside(path)]
    return {**dict(zip(moved, texts, strict=True)), **dict.fromkeys(fresh)}


def _list_tree(snapshot: Snapshot, commit: str) -> dict[str, str]:
    """Path -> blob of a commit's files; "" for what is no regular file."""
    listed = run_git(snapshot.root, ["ls-tree", "-r", "-z", commit]).decode("utf-8", "replace")
    rows = [row.partition("\t") for row in listed.split("\0") if row]
    return {path: about.split()[2] if about.startswith(_REGULAR) else "" for about, _, path in rows}


def _is_kept(path: str) -> bool:
    """Whether the file table would have a file of the tree."""
    *folders, name = PurePosixPath(path).parts
    return is_watched(name) and not any(f in SKIPPED_FOLDERS or f[0] in "._" for f in folders)


def _blob(snapshot: Snapshot, path: str, length: int) -> str:
    """What git, with names of a length, would call the text of a file; "" for none."""
    if path not in snapshot.files():
        return ""
    return _name_of(snapshot.read(path) or b"", length)


def _name_of(text: bytes, length: int) -> str:
    """What git, with names of a length, calls a text."""
    data = b"blob %d\0%b" % (len(text), text)
    sha256 = length == hashlib.sha256().digest_size * 2
    return hashlib.new("sha256" if sha256 else "sha1", data, usedforsecurity=False).hexdigest()


def _read_blobs(snapshot: Snapshot, blobs: Iterable[str]) -> list[bytes]:
    """The contents of blobs, by one git process."""
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    answer = run_git(snapshot.root, ["cat-file", "--batch"], asked) if asked else b""
    found, at = [], 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        found.append(answer[end + 1 : end + 1 + size])
        at = end + size + 2
    return found
