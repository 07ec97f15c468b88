"""Expressions as calls elsewhere write them: every name means there what it means at home.

Invariant: a name that means something at the place itself is meant; an expression is of its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from grammar_ops.edit import Edit, Span, apply_edits
from grammar_ops.op import ImportWish
from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.elsewhere import name_of
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.imports import Import, list_imports
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.typefacts import numbered, rows

register(
    "grammar",
    {"default_is_hidden": "a call is where a local has the name that its argument would have"},
)

_VALUE = b"package p\n\nvar _ = "


def fit_expr(
    scope: Scope, text: str, place: tuple[str, int], home: tuple[str, str]
) -> tuple[str, list[ImportWish]]:
    """An expression said in `home`, a (package, file), as byte `place[1]` of a file writes it.

    Packages go by the names that they have in that file, else by their own; what `home` exports
    stands behind its package's name elsewhere, and alone at home.
    """
    fit = _Fit(scope, *place, *home)
    src = _VALUE + text.encode() + b"\n"
    found = [n for n in nodes.descendants(parse(src).root_node) if n.start_byte >= len(_VALUE)]
    edits = [edit for node in found for edit in fit.rename(src, node)]
    return apply_edits(src, edits)[len(_VALUE) : -1].decode(), fit.wishes


def fit_into(
    scope: Scope, rewrite: Rewrite, at: int, text: str, home: tuple[str, str] | None
) -> str:
    """An expression for byte `at` of a file that is rewritten, which gets the imports for it; as it
    is where it has no home."""
    if home is None:
        return text
    found, wishes = fit_expr(scope, text, (rewrite.path, at), home)
    rewrite.wishes += wishes
    return found


@dataclass
class _Fit:
    """One expression at one place."""

    scope: Scope
    path: str
    at: int
    home: str
    file: str
    """The file whose imports explain the expression."""

    def __post_init__(self) -> None:
        self.reader = self.scope.package_of(self.path)
        self.wishes = list[ImportWish]()

    def rename(self, src: bytes, node: Node) -> Iterator[Edit]:
        """The edits of one node that is a package's name, or a name without one."""
        name = nodes.text_of(src, node)
        if nodes.is_qualifier(node) and node.parent is not None:
            member = node.parent.children[-1]
            path = self._package_meant(name, nodes.text_of(src, member))
            if path is not None:
                lead = self._lead(path, name, nodes.text_of(src, member))
                yield Edit("", Span(node.start_byte, member.start_byte), lead.encode())
        elif nodes.is_bare_name(node) and name[0].isupper() and self.reader != self.home:
            path = self._exporter(name)
            if path is not None and not self._level(name):
                lead = self._lead(path, "", name)
                yield Edit("", Span(node.start_byte, node.start_byte), lead.encode())

    def _package_meant(self, name: str, member: str) -> str | None:
        """The package that a qualifier means, None for what stays as it is."""
        level, key = self._meaning(name)
        known = next((i.path for i in self._imports(self.file) if self._name(i) == name), None)
        if known is None and name == self._name_of(self.home):
            known = self.home if member[0].isupper() or self.reader == self.home else None
        if level == "import":
            return known if known != key else None
        if level and self._has(name, member):
            return None
        return known or self._found(name, member)

    def _found(self, name: str, member: str) -> str | None:
        """The package that nothing at home names: imported here by another name, or hidden here
        and the only one that has the member."""
        named = [i.path for i in self._imports(self.path) if self._name_of(i.path) == name]
        if named or not self._level(name):
            return named[0] if named else None
        question: dict[str, Json] = {"kind": "import_candidates", "name": name}
        question |= {"members": [member], "from": self.reader}
        found = rows(self.scope.ask(question), "candidates")
        fits = {str(row["path"]) for row in found if row.get("has")}
        return fits.pop() if len(fits) == 1 else None

    def _exporter(self, name: str) -> str | None:
        """The package whose export a name without a qualifier is at home."""
        if self.scope.declares(self.home, name):
            return self.home
        dots = [i.path for i in self._imports(self.file) if i.name == "."]
        return next((path for path in dots if name in self._exports(path)), None)

    def _lead(self, path: str, wanted: str, member: str) -> str:
        """What stands before a member of a package here."""
        real = self._name_of(path)
        if path == self.reader:
            self._refuse_hidden(member)
            return ""
        here = [i for i in self._imports(self.path) if i.path == path and i.name != "_"]
        for name in sorted((self._name(i) for i in here), key=lambda n: (n != ".", n != real)):
            if name == "." and not self._is_hidden(member):
                return ""
            if name != "." and self._level(name) in ("import", ""):  # "": no build has the file
                return f"{name}."
        names = [wanted] if wanted and wanted != real else []
        name = next(n for n in (*names, *numbered(real)) if not self._level(n))
        self.wishes.append(ImportWish(self.path, path, "" if name == real else name))
        return f"{name}."

    def _refuse_hidden(self, member: str) -> None:
        """Reject(default_is_hidden) for a member that has no qualifier and means a local here."""
        if self._is_hidden(member):
            at = point_at(self.scope.source(self.path), self.path, self.at)
            raise Reject("default_is_hidden", member, diagnostics=(at,))

    def _is_hidden(self, member: str) -> bool:
        return self._level(member) == "local"

    def _level(self, name: str) -> str:
        return self._meaning(name)[0]

    def _meaning(self, name: str) -> tuple[str, str]:
        """(level, key) of what a name means here, "" for nothing."""
        places: list[Json] = [{"file": self.path, "offset": self.at}]
        answer = self.scope.ask({"kind": "name_means", "name": name, "places": places})
        for row in rows(answer, "means"):
            return str(row.get("level") or ""), str(row.get("key") or "")
        return "", ""

    def _has(self, name: str, member: str) -> bool:
        """Whether what a name means here has a member."""
        question: dict[str, Json] = {"kind": "members", "file": self.path, "offset": self.at}
        found = rows(self.scope.ask({**question, "name": name}), "members")
        return any(row.get("name") == member for row in found)

    def _exports(self, path: str) -> set[str]:
        answer = self.scope.ask({"kind": "package", "path": path})
        return {str(row.get("name")) for row in rows(answer, "exported")}

    def _imports(self, path: str) -> Sequence[Import]:
        return list_imports(self.scope.tree(path), self.scope.source(path))

    def _name(self, known: Import) -> str:
        return known.name or self._name_of(known.path)

    def _name_of(self, path: str) -> str:
        return name_of(self.scope, path)
