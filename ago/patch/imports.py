"""Imports of the draft: newly unused ones go, missing ones come when exactly one package fits.

Invariant: never a guess between two candidates; what stood unused or missing before stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ago.patch.judging import Checkers
from ago.patch.scope import DraftScope
from ago.patch.workbench import IMPORT_REPAIR, Workbench
from ago.stages import DraftFile, find_origin
from grammar_ops.op import ImportWish
from grammar_ops.reject import Json, Reject, register
from grammar_ops.syntax.imports import (
    Import,
    add_import,
    drop_import,
    head_of,
    list_imports,
    open_block,
    parse_head,
)

register(
    "patch",
    {"ambiguous_import": "several packages fit a missing name; choose with `prefer_imports`"},
)

_IN_NAME = re.compile(rb"[\w\x80-\xff]")
_UP_TO_DOT = re.compile(rb"[\w\x80-\xff]*\s*\.?")
QUALIFIER = re.compile(rb"(?<![\w.\x80-\xff])([A-Za-z_\x80-\xff][\w\x80-\xff]*)\s*\.")
_TIERS = ("same_package", "workspace", "std", "module")


class ImportChanges(NamedTuple):
    """Imports that the repair added and removed, each as `file: path`."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """A package that a missing name may mean."""

    path: str
    name: str
    where: str
    has: tuple[str, ...]


@dataclass(frozen=True)
class Missing:
    """A qualifier that nothing in a file's scope provides."""

    file: str
    pkg: str
    name: str
    members: tuple[str, ...]


def ensure_import(bench: Workbench, wish: ImportWish, op: int) -> None:
    """Give a file an import that an op asks for, unless it has it under that name."""
    source = bench.source(wish.path)
    tree = parse_head(source)
    for known in list_imports(tree, source):
        # An alias beside the plain name is another import: what is not used goes again.
        if known.path == wish.import_path and known.name == wish.name:
            return
    bench.apply(add_import(wish.path, tree, source, wish.import_path, wish.name), op)


def repair_imports(
    bench: Workbench, scope: DraftScope, checkers: Checkers, preferred: Collection[str]
) -> ImportChanges:
    """Repair the imports of every edited file; `preferred` paths decide between candidates."""
    files = [
        path
        for path, file in bench.files().items()
        if path.endswith(".go") and file.text is not None and touches_imports(file)
    ]
    if not checkers.typed or not files:
        return _changes(bench, files)
    for path, answer in ask_imports(bench, checkers, files):
        # A block stays one when its only import goes and another comes.
        grouped = any(imp.grouped for imp in _base_imports(bench, path))
        dropped = not grouped and _drop_unused(bench, path, answer)
        for missing in list_missing(path, answer, scope):
            if wish := choose_import(missing, scope, preferred):
                ensure_import(bench, wish, IMPORT_REPAIR)
        if grouped:
            _drop_unused(bench, path, answer)
        elif dropped:
            restore_form(bench, path)
    return _changes(bench, files)


def ask_imports(
    bench: Workbench, checkers: Checkers, files: Sequence[str]
) -> Iterator[tuple[str, dict[str, Json]]]:
    """What each of some files imports and lacks, asked at once."""
    questions: list[dict[str, Json]] = [{"kind": "imports", "file": path} for path in files]
    return zip(files, checkers.oracle.ask(bench.overlay(), questions), strict=True)


def touches_imports(file: DraftFile) -> bool:
    """Whether an edit may have changed which imports a file needs: it put in or took out a
    qualifier (the `fmt` of `fmt.Print`) or something of the head of the file; names that a dot
    import gives have no qualifier."""
    base, text = file.base or b"", file.text or b""
    at, reached = 0, 0
    for old, new, length in (*file.pieces, (len(base), len(text), 0)):
        if _has_qualifier(base, at, old) or _has_qualifier(text, reached, new):
            return True
        at, reached = old + length, new + length
    return head_of(base) != head_of(text) or b'. "' in head_of(base)


def _has_qualifier(text: bytes, start: int, end: int) -> bool:
    """Whether a range, widened to whole identifiers, holds a name with a dot after it."""
    if start == end:
        return False
    while start > 0 and _IN_NAME.match(text, start - 1):
        start -= 1
    # The dot may stand after the range, and white space before the dot.
    rest = _UP_TO_DOT.match(text, end)
    found = QUALIFIER.finditer(text, start, rest.end() if rest else end)
    return any(not _is_in_comment(text, name.start()) for name in found)


def _is_in_comment(text: bytes, at: int) -> bool:
    """Whether a line is all comment, as those of a doc are."""
    return text[text.rfind(b"\n", 0, at) + 1 : at].lstrip().startswith(b"//")


def _drop_unused(bench: Workbench, path: str, answer: dict[str, Json]) -> bool:
    """Drop imports that the edit left without a use, and tell whether there was one; an import
    that stood unused before stays."""
    dropped = False
    base = {(known.path, known.name) for known in _base_imports(bench, path)}
    for row in _rows(answer, "imports"):
        imported, name = str(row["path"]), str(row.get("name") or "")
        stood = (imported, name) in base or (imported, "") in base
        unused_before = stood and not row.get("used_before")
        if row.get("used") or unused_before or name == "_" or imported == "C":
            continue
        source = bench.source(path)
        tree = parse_head(source)
        # The checker says the name that the import has in the file, written or not.
        found = [known for known in list_imports(tree, source) if known.path == imported]
        for known in sorted(found, key=lambda known: known.name != name):
            if known.name in ("", name):
                bench.apply([drop_import(path, tree, source, known)], IMPORT_REPAIR)
                dropped = True
                break
    return dropped


def restore_form(bench: Workbench, path: str) -> None:
    """Write the one import of a file that had no block as it was written before the edit."""
    source = bench.source(path)
    found = list_imports(parse_head(source), source)
    base = _base_imports(bench, path)
    if len(found) == 1 and base and not any(known.grouped for known in base):
        bench.apply(list(open_block(path, source, found[0])), IMPORT_REPAIR)


def list_missing(path: str, answer: dict[str, Json], scope: DraftScope) -> Iterable[Missing]:
    """Qualifiers that the edit needs and nothing provides; own names are no imports."""
    standing = answer.get("missing_before")
    pkg = scope.package_of(path)
    for row in _rows(answer, "missing"):
        name = str(row["name"])
        if pkg is None or (isinstance(standing, list) and name in standing):
            continue
        if scope.declares(pkg, name):
            continue
        members = row.get("members")
        names = tuple(str(m) for m in members) if isinstance(members, list) else ()
        yield Missing(path, pkg, name, names)


def choose_import(
    missing: Missing, scope: DraftScope, preferred: Collection[str]
) -> ImportWish | None:
    """The import that a missing name needs; Reject ambiguous_import when several of the nearest
    kind would do."""
    chosen = _choose(missing, scope, preferred)
    if chosen is None:
        return None
    name = chosen.name if _needs_alias(chosen, scope) else ""
    return ImportWish(missing.file, chosen.path, name)


def _choose(missing: Missing, scope: DraftScope, preferred: Collection[str]) -> Candidate | None:
    """The one package that fits, Reject as choose_import has it."""
    members: list[Json] = [*missing.members]
    answer = scope.ask(
        {"kind": "import_candidates", "name": missing.name, "members": members, "from": missing.pkg}
    )
    called = [c for c in _candidates(answer) if c.name == missing.name]
    fits = [c for c in called if set(missing.members) <= set(c.has)]
    if not fits and len({c.path for c in called}) == 1:
        fits = called  # the diagnostic is then of the member that it lacks
    named = [c for c in fits if c.path in preferred]
    for tier in _TIERS:
        found = named or [c for c in fits if c.where == tier]
        if len({c.path for c in found}) > 1:
            paths = tuple(sorted({c.path for c in found}))
            detail = f"{missing.name} in {missing.file} may be {', '.join(paths)}"
            facts: dict[str, Json] = {"imports": [*paths]}
            raise Reject("ambiguous_import", detail, did_you_mean=paths, facts=facts)
        if found:
            return found[0]
    return None


def _candidates(answer: dict[str, Json]) -> list[Candidate]:
    out = []
    for row in _rows(answer, "candidates"):
        has = row.get("has")
        members = tuple(str(m) for m in has) if isinstance(has, list) else ()
        out.append(Candidate(str(row["path"]), str(row["name"]), str(row["where"]), members))
    return out


def _needs_alias(chosen: Candidate, scope: DraftScope) -> bool:
    """Whether the package calls itself something else than the name it is wanted under."""
    real = scope.ask({"kind": "package", "path": chosen.path}).get("name")
    return isinstance(real, str) and real != chosen.name


def _changes(bench: Workbench, files: list[str]) -> ImportChanges:
    added, removed = [], []
    for path in files:
        source = bench.source(path)
        # Counted by path: another name for one is a rename.
        source_path = _made_of(bench, path)
        base = Counter(known.path for known in _base_imports(bench, source_path))
        now = Counter(known.path for known in list_imports(parse_head(source), source))
        added += [f"{path}: {imported}" for imported in sorted((now - base).elements())]
        removed += [f"{path}: {imported}" for imported in sorted((base - now).elements())]
    return ImportChanges(tuple(added), tuple(removed))


def _base_imports(bench: Workbench, path: str) -> list[Import]:
    base = bench.base(path) or b""
    return list_imports(parse_head(base), base)


def _made_of(bench: Workbench, path: str) -> str:
    """The file that became a new one, else the file itself."""
    if bench.base(path) is not None:
        return path
    return find_origin(bench.moved(), path, bench.is_deleted) or path


def _rows(answer: dict[str, Json], key: str) -> list[dict[str, Json]]:
    rows = answer.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
