"""What only types can tell, asked of the checker: values of an expression, names at a place.

Invariant: every answer speaks of the draft; where the checker can't tell, the answer is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.op import ImportWish
from grammar_ops.reject import Json
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.imports import list_imports

ERROR = "error"


class Value(NamedTuple):
    """One value of an expression: its type as the file writes it, and what follows from that."""

    type: str
    zero: str
    comparable: bool
    underlying: str
    is_error: bool
    """Whether it can be assigned to an error."""


class Visible(NamedTuple):
    """What a name means at a place."""

    name: str
    kind: str
    type: str
    here: bool
    """Declared in the innermost scope, so that `:=` would assign to it."""
    file: str
    offset: int


def values_at(scope: Scope, path: str, node: Node) -> list[Value]:
    """The values of an expression, or the one of a type; empty where there is no telling."""
    span = nodes.span_of(node)
    question: dict[str, Json] = {"kind": "type_at", "file": path, "assignable_to": [ERROR]}
    answer = scope.ask({**question, "start": span.start, "end": span.end})
    return [
        Value(
            str(row.get("type", "")),
            str(row.get("zero", "")),
            bool(row.get("comparable")),
            str(row.get("underlying", "")),
            row.get("assignable") == [True],
        )
        for row in rows(answer, "results")
    ]


def rows(answer: dict[str, Json], key: str) -> list[dict[str, Json]]:
    """The objects of a list in an answer."""
    found = answer.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def find_visible(scope: Scope, path: str, at: int, name: str) -> Visible | None:
    """What `name` means for a statement that begins at `at`, None when nothing."""
    found = _names_at(scope, path, at, name).get("existing")
    if not isinstance(found, dict):
        return None
    offset = found.get("offset")
    return Visible(
        name,
        str(found.get("kind", "")),
        str(found.get("type", "")),
        bool(found.get("here")),
        str(found.get("file", "")),
        offset if isinstance(offset, int) else -1,
    )


def is_captured(scope: Scope, path: str, at: int, name: str) -> bool:
    """Whether a declaration of `name` at a place would be what later uses of the name mean."""
    return bool(_names_at(scope, path, at, name).get("captures"))


def _names_at(scope: Scope, path: str, at: int, name: str) -> dict[str, Json]:
    # The byte before a statement is in the scope of its list, whatever the statement opens.
    return scope.ask({"kind": "names_at", "file": path, "offset": at - 1, "name": name})


def fresh_name(scope: Scope, path: str, at: int, base: str) -> str:
    """`base`, or `base2` and so on: a name that means nothing at a place."""
    return next(name for name in numbered(base) if find_visible(scope, path, at, name) is None)


def numbered(base: str) -> Iterator[str]:
    """`base`, `base2`, `base3` and so on."""
    yield base
    yield from (f"{base}{n}" for n in range(2, 1000))


def uses_after(scope: Scope, path: str, offset: int) -> list[tuple[Span, str]]:
    """(place, role) of every use of the local that is declared at `offset`, in source order."""
    answer = scope.ask({"kind": "uses_of", "file": path, "offset": offset})
    found = []
    for row in rows(answer, "uses"):
        start, size = row.get("offset"), row.get("len")
        if row.get("file") == path and isinstance(start, int) and isinstance(size, int):
            found.append((Span(start, start + size), str(row.get("role"))))
    return sorted(found)


def qualify(scope: Scope, path: str, at: int, import_path: str) -> tuple[str, list[ImportWish]]:
    """How code at a place speaks of a package of the standard library, and the import for that.

    A local or a declaration that has the package's name makes an alias necessary.
    """
    default = import_path.rpartition("/")[2]
    for known in list_imports(scope.tree(path), scope.source(path)):
        if known.path == import_path and known.name not in ("_", "."):
            seen = find_visible(scope, path, at, known.name or default)
            if seen is None or seen.kind == "package":
                return known.name or default, []
    if find_visible(scope, path, at, default) is None:
        return default, [ImportWish(path, import_path)]
    alias = fresh_name(scope, path, at, f"{default}pkg")
    return alias, [ImportWish(path, import_path, alias)]
