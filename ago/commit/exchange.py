"""Atomic exchange of two files of one folder, on Linux and macOS, with a fallback by hard link.

Invariant: at every instant the target name holds the whole old or the whole new content.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

_LINUX_NOREPLACE, _LINUX_EXCHANGE = 1, 2
_MAC_SWAP, _MAC_EXCL = 2, 4
_AT_FDCWD = -100
_MISSING = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def exchange(temp: Path, target: Path) -> None:
    """Swap the contents behind two existing names; afterwards `temp` holds what `target` held.

    Raises OSError; FileNotFoundError when the target vanished.
    """
    if not _rename(temp, target, _LINUX_EXCHANGE, _MAC_SWAP):
        _exchange_by_link(temp, target)


def place(temp: Path, target: Path) -> None:
    """Give `temp` the name `target`, which must not exist; FileExistsError when it does."""
    if not _rename(temp, target, _LINUX_NOREPLACE, _MAC_EXCL):
        os.link(temp, target, follow_symlinks=False)
        temp.unlink()


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _exchange_by_link(temp: Path, target: Path) -> None:
    """The way without a swap call: keep the old file under a second name, then rename over it."""
    kept = temp.with_name(temp.name + ".old")
    os.link(target, kept, follow_symlinks=False)
    temp.rename(target)
    kept.rename(temp)


def _rename(old: Path, new: Path, linux_flag: int, mac_flag: int) -> bool:
    """Rename with a flag; False when the system or the file system has no such call."""
    if _RENAME is None:
        return False
    code = _RENAME(os.fsencode(old), os.fsencode(new), linux_flag, mac_flag)
    if code == 0:
        return True
    if code in _MISSING:
        return False
    raise OSError(code, os.strerror(code), str(new))


def _bind() -> Callable[[bytes, bytes, int, int], int] | None:
    """The system's flagged rename as a function that returns 0 or an errno."""
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):

        def swap(old: bytes, new: bytes, _linux: int, flag: int) -> int:
            return 0 if libc.renamex_np(old, new, flag) == 0 else ctypes.get_errno()

        return swap
    if hasattr(libc, "renameat2"):

        def swap2(old: bytes, new: bytes, flag: int, _mac: int) -> int:
            done = libc.renameat2(_AT_FDCWD, old, _AT_FDCWD, new, flag)
            return 0 if done == 0 else ctypes.get_errno()

        return swap2
    return None


_RENAME = _bind()
