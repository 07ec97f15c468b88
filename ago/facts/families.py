"""Families: the methods that interfaces tie together, so that none can change its name alone.

Invariant: whatever some instantiation may satisfy counts as satisfied; of what lies outside the
workspace only what a conversion or an assertion ties to the family takes part.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ago.facts import read
from ago.facts.read import UNNAMED
from grammar_ops.scope import ObjectInfo

_VARIABLE = re.compile(r"\$\d+")
_DECLARED = "EXISTS (SELECT 1 FROM object WHERE symbol = symbol.id)"
_OPEN, _CLOSE = "([{", ")]}"

Methods = Mapping[str, str]
"""Method identity -> canonical signature."""


class Family(NamedTuple):
    """The methods that a method is tied to, itself included."""

    members: tuple[ObjectInfo, ...]
    outside: tuple[str, ...]
    """Addresses of methods outside the workspace that take part."""
    tied: bool
    """Whether a conversion or an assertion between two of its types is written anywhere."""


class _Row(NamedTuple):
    type: int
    is_interface: bool
    method: int


def find_family(db: sqlite3.Connection, pkg: str, sym: str) -> Family:
    """The family of a method, of a type or an interface."""
    first = read.find_symbol(db, pkg, sym)
    if first is None:
        return Family((), (), False)
    return _Search(db).run(first)


class _Search:
    """One search, from a method over the types that have it to those that satisfy them."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._sets: dict[int, Methods] = {}
        self._types: dict[int, bool] = {}
        self._outside: list[tuple[int, int]] = []

    def run(self, first: int) -> Family:
        found, todo = {first: self._places(first)}, [first]
        while todo:
            for method in self._neighbours(todo.pop()):
                if method not in found:
                    found[method] = self._places(method)
                    todo.append(method)
        outside = sorted({m for t, m in self._outside if self._is_tied(t)})
        members = tuple(info for places in found.values() for info in places)
        return Family(members, tuple(self._address(m) for m in outside), self._is_tied())

    def _neighbours(self, method: int) -> Iterator[int]:
        rows = self._db.execute(
            "SELECT DISTINCT type, ptr, ident FROM method WHERE method = ? ORDER BY type", (method,)
        ).fetchall()
        for of, ptr, ident in rows:
            if not self._is_here(of):
                continue
            self._types[of] = ptr == read.OF_INTERFACE
            for other in self._with(ident):
                if other.type != of and self._satisfies(of, other):
                    if self._is_here(other.type) and self._places(other.method):
                        yield other.method
                    else:
                        self._outside.append((other.type, other.method))

    def _satisfies(self, of: int, other: _Row) -> bool:
        """Whether one of two types may be converted to the other, which is an interface."""
        mine, its = self._set(of), self._set(other.type)
        down = self._types[of] and fits(mine, its)
        return down or (other.is_interface and fits(its, mine))

    def _with(self, ident: str) -> list[_Row]:
        rows = self._db.execute(
            "SELECT DISTINCT type, ptr, method FROM method WHERE ident = ? ORDER BY type", (ident,)
        )
        return [_Row(of, ptr == read.OF_INTERFACE, method) for of, ptr, method in rows]

    def _set(self, of: int) -> Methods:
        if of not in self._sets:
            self._sets[of] = read.method_sets(self._db, [of])[of]
        return self._sets[of]

    def _is_here(self, of: int) -> bool:
        """Whether the workspace declares a type, or writes it where it needs no name."""
        where = f"SELECT 1 FROM symbol WHERE id = ? AND (sym LIKE '%{UNNAMED}' OR {_DECLARED})"
        return self._db.execute(where, (of,)).fetchone() is not None

    def _is_tied(self, other: int = 0) -> bool:
        """Whether a conversion or assertion ties types of the family, or one of them to `other`."""
        marks = ", ".join(map(str, sorted(self._types)))
        where = f"type IN ({marks}) AND interface IN ({marks})"
        if other:
            where = f"type IN ({marks}) AND interface = {other}"
            where += f" OR type = {other} AND interface IN ({marks})"
        row = self._db.execute(f"SELECT 1 FROM assertion WHERE {where} LIMIT 1").fetchone()
        return row is not None

    def _places(self, symbol: int) -> list[ObjectInfo]:
        """Where a method is declared: once, but for one of an interface that has no name."""
        records = read.objects_where(self._db, "o.symbol = ?", (symbol,))
        if records:
            return [read.describe(records[0])]
        pkg, sym = self._db.execute(
            "SELECT pkg, sym FROM symbol WHERE id = ?", (symbol,)
        ).fetchone()
        defs = [ref for ref in read.refs(self._db, pkg, sym) if ref.role == "def"]
        return [
            ObjectInfo(pkg, sym, "interface_method", "", ref.path, ref.span, frozenset())
            for ref in defs
        ]

    def _address(self, symbol: int) -> str:
        row = self._db.execute("SELECT pkg, sym FROM symbol WHERE id = ?", (symbol,)).fetchone()
        return ".".join(filter(None, row))


def fits(wanted: Methods, has: Methods) -> bool:
    """Whether a type with the methods `has` may satisfy an interface of the methods `wanted`.

    Type parameters (`$0`) stand for any type, each for the same one throughout.
    """
    if not wanted or not wanted.keys() <= has.keys():
        return False
    bound: tuple[dict[str, str], dict[str, str]] = ({}, {})
    return all(_unify(wanted[ident], has[ident], bound) for ident in sorted(wanted))


def _unify(a: str, b: str, bound: tuple[dict[str, str], dict[str, str]]) -> bool:
    """Whether two canonical texts may be equal."""
    if "$" not in a and "$" not in b:
        return a == b
    i = j = 0
    while i < len(a) and j < len(b):
        left, right = _VARIABLE.match(a, i), _VARIABLE.match(b, j)
        if left is None and right is None:
            if a[i] != b[j]:
                return False
            i, j = i + 1, j + 1
            continue
        i_end = left.end() if left else _type_end(a, i)
        j_end = right.end() if right else _type_end(b, j)
        if left and not _bind(bound[0], a[i:i_end], b[j:j_end]):
            return False
        if right and not _bind(bound[1], b[j:j_end], a[i:i_end]):
            return False
        i, j = i_end, j_end
    return i == len(a) and j == len(b)


def _bind(known: dict[str, str], name: str, text: str) -> bool:
    """Let a type parameter stand for a type; one that is open itself may become any."""
    old = known.setdefault(name, text)
    return old == text or "$" in old or "$" in text


def _type_end(text: str, at: int) -> int:
    """The end of the type that begins at `at`."""
    depth = 0
    for index in range(at, len(text)):
        char = text[index]
        if depth == 0 and (char in _CLOSE or char in ",;"):
            return index
        depth += (char in _OPEN) - (char in _CLOSE)
    return len(text)
