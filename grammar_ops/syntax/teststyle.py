"""How the tests of a package are written: what they compare with, what their tables are called.

Invariant: the file that takes the test decides first, then the other tests of its package.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from grammar_ops.scope import PackageInfo, Scope
from grammar_ops.syntax.imports import list_imports, parse_head
from grammar_ops.syntax.testhome import TestHome, list_test_files

_TESTIFY = re.compile(r"/testify(/v\d+)?/(require|assert)$")
_CMP = "github.com/google/go-cmp/cmp"
_CALL = re.compile(rb"\b(\w+)\.(?:Equal|Diff|DeepEqual|NoError|EqualValues)\(")
_LOOP = re.compile(
    rb"for (?:_|\w+), (\w+) := range (\w+) \{(?:[^{}]|\n)*?\bt\.Run\(\1\.(\w+),"
)  # fmt: skip


class Style(NamedTuple):
    """The words and the comparing package of a package's tests."""

    tool: str
    """require, assert, cmp, slices or reflect: what values are compared with; "" for plain Go."""
    tool_path: str
    tool_name: str
    """What the test's file calls it."""
    table: str = "tests"
    row: str = "tt"
    label: str = "name"

    @property
    def is_testify(self) -> bool:
        """Whether all comparing is done by assertions."""
        return self.tool in ("require", "assert")


def read_style(scope: Scope, info: PackageInfo, home: TestHome) -> Style:
    """The style of the tests beside a home, the home's own before that of the others."""
    others = [path for path in list_test_files(info) if path != home.path]
    words: tuple[str, ...] = ()
    tool: tuple[str, str, str] | None = None
    for paths in ([home.path] if home.exists else [], others):
        words = words or _table_words(scope, paths)
        tool = tool or _comparing(scope, paths, is_home=paths != others)
    return Style(*(tool or ("", "", "")), *words)


def _table_words(scope: Scope, paths: list[str]) -> tuple[str, ...]:
    """(table, row, label) of the tables of some files: the commonest."""
    found = Counter(
        (match[2].decode(), match[1].decode(), match[3].decode())
        for path in paths
        for match in _LOOP.finditer(scope.source(path))
    )
    return found.most_common(1)[0][0] if found else ()


def _comparing(scope: Scope, paths: list[str], is_home: bool) -> tuple[str, str, str] | None:
    """(tool, path, name) of the package that most comparisons of some files are made with."""
    found: Counter[tuple[str, str, str]] = Counter()
    for path in paths:
        src = scope.source(path)
        calls = Counter(match[1].decode() for match in _CALL.finditer(src))
        for known in list_imports(parse_head(src), src):
            tool = tool_of(known.path)
            name = known.name or known.path.rpartition("/")[2]
            if tool and calls[name]:
                found[tool, known.path, name if is_home else tool] += calls[name]
    return found.most_common(1)[0][0] if found else None


def tool_of(path: str) -> str:
    """What an import path compares values with, "" for nothing."""
    if match := _TESTIFY.search(path):
        return match[2]
    return {_CMP: "cmp", "reflect": "reflect", "slices": "slices"}.get(path, "")
