"""Spelling: how the name of a package-level object is written where it, or the place, has moved.

Invariant: within its package a name is bare, elsewhere it stands behind the name of an import; an
import keeps the name that it has, and gets another only where that name means something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from grammar_ops.edit import Edit, Span
from grammar_ops.op import ImportWish
from grammar_ops.reject import Json
from grammar_ops.scope import Scope
from grammar_ops.syntax.fragment import KEYWORDS
from grammar_ops.syntax.imports import Import, list_imports

_QUALIFIER = re.compile(rb"([\w\x80-\xff]+)(\s*\.\s*)\Z")
_DOC_QUALIFIER = re.compile(rb"[\w./~\x80-\xff-]+\.\Z")
_NUMBERED = re.compile(r"\d+\Z")


class Use(NamedTuple):
    """A written reference to a package-level object, and where it will stand after the edit."""

    path: str
    span: Span
    pkg: str
    """The package of the object, after the edit."""
    file: str
    """The file that it will stand in."""
    reader: str
    """The package of that file."""
    doc: bool = False


@dataclass
class Speller:
    """Spells uses, and gathers the imports that they need."""

    scope: Scope
    homes: Mapping[str, str]
    """For files that are made or moved: the file whose imports they have, "" for none."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Package names of packages that are made."""
    wishes: list[ImportWish] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _chosen: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def spell(self, uses: Sequence[Use]) -> list[Edit]:
        """The edits of qualifiers; those in comments follow what the code imports."""
        edits: list[Edit] = []
        away: dict[tuple[str, str, str], list[Use]] = {}
        for use in uses:
            if not use.doc and use.pkg != use.reader:
                away.setdefault((use.file, use.pkg, self._wanted(use)), []).append(use)
        for (file, pkg, wanted), group in sorted(away.items()):
            self._chosen[file, pkg, wanted] = self._choose(file, pkg, wanted, group)
        for use in uses:
            edits += self._spell_doc(use) if use.doc else self._spell_code(use)
        return edits

    def imported(self) -> set[tuple[str, str, str]]:
        """(package of the file, file, import) for every import that spelled code relies on."""
        return {(file, pkg, name) for (file, pkg, _), name in self._chosen.items()}

    def _spell_code(self, use: Use) -> list[Edit]:
        src = self.scope.source(use.path)
        found = _QUALIFIER.search(src, max(0, use.span.start - 200), use.span.start)
        if use.pkg == use.reader:
            cut = Span(found.start(), use.span.start) if found else None
            return [Edit(use.path, cut, b"")] if cut else []
        name = self._chosen[use.file, use.pkg, self._wanted(use)]
        if found is None:
            text = f"{name}." if name else ""
            return [Edit(use.path, Span(use.span.start, use.span.start), text.encode())]
        if not name:
            return [Edit(use.path, Span(found.start(), use.span.start), b"")]
        if found.group(1) == name.encode():
            return []
        return [Edit(use.path, Span(*found.span(1)), name.encode())]

    def _spell_doc(self, use: Use) -> list[Edit]:
        src = self.scope.source(use.path)
        found = _DOC_QUALIFIER.search(src, max(0, use.span.start - 200), use.span.start)
        span = Span(found.start() if found else use.span.start, use.span.start)
        if use.pkg == use.reader:
            return [Edit(use.path, span, b"")] if found else []
        names = (n for (f, p, _), n in self._chosen.items() if (f, p) == (use.file, use.pkg))
        name = next(names, "")
        name = name or self._bound(use.file).get(use.pkg, "")
        text = f"{name if name not in ('', '_', '.') else use.pkg}.".encode()
        return [] if src[span.start : span.end] == text else [Edit(use.path, span, text)]

    def _wanted(self, use: Use) -> str:
        """The import name that a use asks for: the one that is written, else what the file has."""
        src = self.scope.source(use.path)
        found = _QUALIFIER.search(src, max(0, use.span.start - 200), use.span.start)
        if found is not None:
            written = found.group(1).decode()
            if (use.pkg, written) in self._pairs(use.path):
                return written
        standing = self._bound(use.file).get(use.pkg, "")
        return standing if standing not in ("", "_") else self.name_of(use.pkg)

    def _choose(self, file: str, pkg: str, wanted: str, uses: Sequence[Use]) -> str:
        """The name by which a file imports a package, wished for where it does not yet."""
        if wanted == ".":
            return ""
        real = self.name_of(pkg)
        base = _NUMBERED.sub("", wanted) if wanted != real else wanted
        names = [wanted, *(f"{base}{n}" for n in range(2, 100))]
        if base == real and wanted != real:
            names.insert(0, real)  # it was numbered where the real name had no room
        name = next(n for n in names if self._is_free(file, pkg, n, uses))
        if (pkg, name) not in self._pairs(file):
            explicit = name if name != real or self._is_explicit(uses, pkg, name) else ""
            self.wishes.append(ImportWish(file, pkg, explicit))
        return name

    def _is_free(self, file: str, pkg: str, name: str, uses: Sequence[Use]) -> bool:
        taken = {other for path, other in self._pairs(file) if path != pkg}
        taken |= {n for (f, p, _), n in self._chosen.items() if f == file and p != pkg}
        if name in taken or name in KEYWORDS or self.scope.declares(uses[0].reader, name):
            return False
        return not any(level == "local" for level in self._levels(name, uses))

    def _levels(self, name: str, uses: Iterable[Use]) -> list[str]:
        """What kind of thing a name would be at the places of uses."""
        places: list[Json] = [{"file": u.path, "offset": u.span.start} for u in uses]
        answer = self.scope.ask({"kind": "name_means", "name": name, "places": places}).get("means")
        rows = answer if isinstance(answer, list) else []
        return [str(row.get("level")) for row in rows if isinstance(row, dict)]

    def _is_explicit(self, uses: Sequence[Use], pkg: str, name: str) -> bool:
        """Whether the text came from a file that writes the name in its import."""
        found = self._imports(uses[0].path)
        return any(imp.path == pkg and imp.name == name for imp in found)

    def _bound(self, file: str) -> dict[str, str]:
        """Import path -> the first name by which a file can use it."""
        return dict(reversed([pair for pair in self._pairs(file) if pair[1] != "_"]))

    def _pairs(self, file: str) -> list[tuple[str, str]]:
        return [(imp.path, imp.name or self.name_of(imp.path)) for imp in self._imports(file)]

    def _imports(self, file: str) -> list[Import]:
        file = self.homes.get(file, file)
        return list_imports(self.scope.tree(file), self.scope.source(file)) if file else []

    def name_of(self, pkg: str) -> str:
        """What a package calls itself."""
        if pkg not in self._names:
            info = self.scope.find_package(pkg)
            name = self.names.get(pkg) or (info.name if info else "")
            if not name:
                answer = self.scope.ask({"kind": "package", "path": pkg}).get("name")
                name = str(answer or pkg.rpartition("/")[2])
            self._names[pkg] = name
        return self._names[pkg]
