"""Build constraints of a file: its GOOS and GOARCH suffixes and its `//go:build` line.

Invariant: two files with equal constraints are in exactly the same builds.
"""

from __future__ import annotations

import re

_LINE = re.compile(rb"^//go:build (.*?)\s*$", re.MULTILINE)
_CLAUSE = re.compile(rb"^package\b", re.MULTILINE)
_KNOWN_OS = """
aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris
wasip1 windows zos
"""
_KNOWN_ARCH = """
386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le
ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm
"""
_OS, _ARCH = frozenset(_KNOWN_OS.split()), frozenset(_KNOWN_ARCH.split())


def find_suffix(path: str) -> str:
    """The GOOS and GOARCH that a file name asks for, as it ends in them (`_linux_amd64`)."""
    stem = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test")
    parts = stem.split("_")[1:]
    if len(parts) > 1 and parts[-1] in _ARCH and parts[-2] in _OS:
        return f"_{parts[-2]}_{parts[-1]}"
    return f"_{parts[-1]}" if parts and parts[-1] in _OS | _ARCH else ""


def find_build_line(src: bytes) -> str:
    """The expression of a file's `//go:build` line, "" when it has none."""
    clause = _CLAUSE.search(src)
    line = _LINE.search(src, 0, clause.start() if clause else len(src))
    return line.group(1).decode() if line else ""


def constraint_of(path: str, src: bytes) -> tuple[str, str]:
    """What decides in which builds a file is, but for whether it is a test."""
    return find_suffix(path), find_build_line(src)
