"""Movers: the declarations that go when some are asked for: methods, tests, helpers.

Invariant: a type never parts from its methods; what others need as well is no helper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grammar_ops.scope import Scope
from grammar_ops.syntax import uses
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.names import run_kind
from grammar_ops.syntax.parcels import list_package, with_methods
from grammar_ops.syntax.relocation import Region, list_idents


def list_helpers(scope: Scope, pkg: str, movers: Sequence[Decl]) -> list[Decl]:
    """The unexported declarations that only the movers use, through any number of steps."""
    known = list_package(scope, pkg)
    by_sym = {d.sym: d for d in known if "." not in d.sym and not d.path.endswith("_test.go")}
    going = {d.sym for d in movers}
    found: dict[str, Decl] = {}
    todo = list(movers)
    while todo:
        decl = todo.pop()
        for sym in _needed(scope, pkg, decl):
            helper = by_sym.get(sym)
            if helper is not None and not sym[0].isupper() and sym not in going | found.keys():
                found[sym] = helper
                todo += with_methods(scope, [helper], known)
    while kept := {s for s, d in found.items() if not _is_own(scope, pkg, d, movers, found, known)}:
        for sym in kept:
            del found[sym]
    return with_methods(scope, found.values(), known)


def _needed(scope: Scope, pkg: str, decl: Decl) -> set[str]:
    region = Region(decl.path, decl.full_span, pkg, decl.path, pkg)
    idents = list_idents(scope, region)
    return {i.sym.partition(".")[0] for i in idents if i.pkg == pkg and i.level == "package"}


def _is_own(
    scope: Scope, pkg: str, helper: Decl, movers: Iterable[Decl], found: dict[str, Decl],
    known: Sequence[Decl],
) -> bool:  # fmt: skip
    """Whether every use of a helper is in what moves."""
    moving = [*movers, *with_methods(scope, found.values(), known)]
    spans = [(d.path, d.full_span) for d in moving]
    refs = uses.list_refs(scope, pkg, helper.sym)
    code = [r for r in refs if r.role not in uses.SILENT_ROLES | uses.DOC_ROLES]
    return all(any(p == r.path and s.contains(r.span) for p, s in spans) for r in code)


def list_tests(scope: Scope, pkg: str, movers: Sequence[Decl]) -> list[tuple[str, Decl]]:
    """The test functions of the movers with their package: those named after one, and those that
    use nothing else of the package."""
    names = {d.sym for d in movers if "." not in d.sym}
    known = {d.sym for d in list_package(scope, pkg) if "." not in d.sym}
    out = []
    for home in (pkg, f"{pkg}_test"):
        for decl in list_package(scope, home):
            test = decl.kind == "func" and decl.path.endswith("_test.go")
            if not test or run_kind(decl.name, True, False) in ("", "init", "TestMain"):
                continue
            used = _needed(scope, pkg, decl) & known
            named = _subject(decl.name, known)
            if used & names and (named in names or (not named and used <= names)):
                out.append((home, decl))
    return out


def _subject(test: str, known: Iterable[str]) -> str:
    """The declaration that a test function is named after, the longest that fits."""
    rest = test.removeprefix(run_kind(test, True, False)).lstrip("_")
    fits = [
        name for name in known
        if rest.lower().startswith(name.lower()) and not rest[len(name) : len(name) + 1].islower()
    ]  # fmt: skip
    return max(fits, key=len, default="")
