"""Examples: test functions that are bound by their name to the object that they show.

Invariant: names are taken apart as go vet does; an example of nothing exported is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.decls import Decl, list_decls

_PREFIX = "Example"


class Example(NamedTuple):
    """An example of a renamed object, and what it is to be called."""

    pkg: str
    decl: Decl
    to: str


def list_examples(scope: Scope, pkg: str, sym: str, to: str) -> Iterator[Example]:
    """The examples of a package-level object or method that is to be called `to`.

    Reject(runs_by_name) when the new name is not exported: the example would run no more.
    """
    package = scope.find_package(pkg)
    parts = sym.split(".")
    if package is None or not all(part[:1].isupper() for part in parts):
        return
    mark = f"func {_PREFIX}{'_'.join(parts)}".encode()
    for path, role in package.files:
        if role not in ("test", "xtest") or mark not in scope.source(path):
            continue
        home = f"{pkg}_test" if role == "xtest" else pkg
        for decl in list_decls(scope.tree(path), scope.source(path), path):
            if decl.kind == "func" and (name := _follow(decl.name, parts, to)):
                if not to[:1].isupper():
                    raise Reject("runs_by_name", f"{decl.name} shows {sym}, which {to} can't be")
                yield Example(home, decl, name)


def refuse_stray(scope: Scope, pkg: str, decl: Decl, to: str) -> None:
    """Reject(runs_by_name) an example's new name that shows nothing: go test's vet refuses it."""
    if decl.kind != "func" or not to.startswith(_PREFIX) or not decl.path.endswith("_test.go"):
        return
    shown = _shown_by(to)
    if shown and not _is_there(scope, pkg, shown) and _is_there(scope, pkg, _shown_by(decl.name)):
        raise Reject("runs_by_name", f"{to} would show {shown}, which is not there")


def _shown_by(name: str) -> str:
    """The address that an example's name tells, "" for one of the package."""
    parts = name.removeprefix(_PREFIX).split("_", 2)
    if not parts[0][:1].isupper():
        return ""
    return ".".join(part for part in parts[:2] if part[:1].isupper())


def _is_there(scope: Scope, pkg: str, sym: str) -> bool:
    for home in (pkg, pkg.removesuffix("_test")) if sym else ():
        try:
            return bool(scope.resolve_decl(home, sym))
        except Reject:
            continue
    return not sym


def _follow(name: str, parts: list[str], to: str) -> str:
    """The name of an example after the rename, "" when it shows something else."""
    shown = name.removeprefix(_PREFIX).split("_", 2)
    if not name.startswith(_PREFIX) or shown[: len(parts)] != parts:
        return ""
    shown[len(parts) - 1] = to
    return _PREFIX + "_".join(shown)
