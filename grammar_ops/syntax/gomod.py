"""go.mod files: what they require, and what two of them differ in.

Invariant: only read; what a go.mod becomes is the go command's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

_VERSION = re.compile(r"v(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$")
_PATH = re.compile(r"[A-Za-z0-9_~][\w.~/!+-]*")
_QUERY = re.compile(r"[A-Za-z0-9<>=_][\w.~/+<>=-]*")


class Requirement(NamedTuple):
    """One required module."""

    version: str
    indirect: bool


@dataclass(frozen=True)
class ModuleFile:
    """What a go.mod says: its module, language version, toolchain and requirements by path."""

    module: str
    go: str
    toolchain: str
    requires: Mapping[str, Requirement]
    replaced: Mapping[str, tuple[str, str]]
    """Module -> (folder or module, version or "") that stands in its place."""

    def with_replaced(self, above: Mapping[str, tuple[str, str]]) -> ModuleFile:
        """The same where a go.work replaces modules, too: its word counts."""
        return replace(self, replaced={**self.replaced, **above})


def read_module_file(text: bytes) -> ModuleFile:
    """A go.mod as values; what is no directive of interest is passed over."""
    single = {"module": "", "go": "", "toolchain": ""}
    requires: dict[str, Requirement] = {}
    replaced: dict[str, tuple[str, str]] = {}
    for verb, words, comment in _directives(text.decode("utf-8", "replace")):
        if verb in single and words:
            single[verb] = words[0]
        elif verb == "require" and len(words) == 2:
            indirect = comment.split(";")[0].strip() == "indirect"
            requires[words[0]] = Requirement(words[1], indirect)
        elif verb == "replace" and "=>" in words[1:]:
            target, version = [*words[words.index("=>") + 1 :], "", ""][:2]
            replaced[words[0]] = (target, version)
    return ModuleFile(**single, requires=requires, replaced=replaced)


def describe_changes(old: ModuleFile, new: ModuleFile) -> list[str]:
    """What a reader wants to know of an edit of go.mod: `+path version`, `path old -> new`, …"""
    said = []
    for name in ("go", "toolchain"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            said.append(f"{name} {before or 'none'} -> {after or 'none'}")
    for path in sorted({*old.requires, *new.requires}):
        was, now = old.requires.get(path), new.requires.get(path)
        if was is None and now is not None:
            said.append(f"+{path} {now.version}")
        elif was is not None and now is None:
            said.append(f"-{path} {was.version}")
        elif was is not None and now is not None and was.version != now.version:
            said.append(f"{path} {was.version} -> {now.version}")
    return said


def lowered(old: ModuleFile, new: ModuleFile, asked: str) -> list[str]:
    """Direct requirements, other than the one asked for, that are lower or gone in `new`."""
    out = []
    for path, was in old.requires.items():
        now = new.requires.get(path)
        if was.indirect or path == asked:
            continue
        if now is None:
            out.append(f"-{path} {was.version}")
        elif version_key(now.version) < version_key(was.version):
            out.append(f"{path} {was.version} -> {now.version}")
    return out


def provider_of(imported: str, modules: Iterable[str]) -> str | None:
    """The module that an import path belongs to: the longest path that leads it, None for none."""
    fits = [m for m in modules if imported == m or imported.startswith(m + "/")]
    return max(fits, key=len, default=None)


def escaped(module: str) -> str:
    """A module path as the module cache writes it: capitals as `!` and the small letter."""
    return re.sub(r"[A-Z]", lambda letter: f"!{letter[0].lower()}", module)


def file_of(folder: str) -> str:
    """The go.mod of a folder."""
    return "go.mod" if folder in ("", ".") else f"{folder}/go.mod"


def is_module_path(text: str) -> bool:
    """Whether a text can be given to the go command as a module or package path."""
    return _PATH.fullmatch(text) is not None and ".." not in text.split("/")


def is_version_query(text: str) -> bool:
    """Whether a text can be given to the go command after an `@`."""
    return _QUERY.fullmatch(text) is not None


def version_key(version: str) -> tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]:
    """A key that sorts versions as semantic versioning does."""
    match = _VERSION.match(version)
    if match is None:
        return (-1,), False, ()
    numbers = tuple(int(match[n]) for n in (1, 2, 3))
    parts = tuple(
        (not part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in (match[4] or "").split(".")
        if part
    )
    return numbers, match[4] is None, parts


def _directives(text: str) -> Iterator[tuple[str, list[str], str]]:
    """(verb, words, comment) of each line, the lines of a block with the verb of the block."""
    block = ""
    for raw in text.splitlines():
        line, _, comment = raw.partition("//")
        words = [word.strip('"`') for word in line.split()]
        if not words:
            continue
        if block and words == [")"]:
            block = ""
        elif block:
            yield block, words, comment
        elif words[-1] == "(":
            block = words[0]
        else:
            yield words[0], words[1:], comment
