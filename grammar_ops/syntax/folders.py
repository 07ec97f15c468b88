"""Renaming a package's folder: all that is in it moves, and import paths follow everywhere.

Invariant: packages below the folder go along, so that who may see what is internal stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Carried, Moved, Notes, Plan
from grammar_ops.reject import Finding, Reject, register
from grammar_ops.scope import PackageInfo, Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import list_decls
from grammar_ops.syntax.destination import join_path
from grammar_ops.syntax.embeds import list_embeds, may_embed
from grammar_ops.syntax.findings import LIMIT, point_at
from grammar_ops.syntax.imports import list_imports
from grammar_ops.syntax.relocation import carry
from grammar_ops.syntax.uses import check_inside

register(
    "grammar",
    {
        "folder_exists": "there is a file or folder of the new name",
        "holds_module": "the folder holds a module, whose own path does not follow",
    },
)

_UNSEEN = frozenset({"internal", "vendor", "testdata"})
"""Folders of these names are something else to the go command."""
_GENERATE = re.compile(rb"^//go:generate[ \t].*$", re.MULTILINE)


class Folder(NamedTuple):
    """A folder on its way, with the import path of its package."""

    dir: str
    pkg: str
    to_dir: str
    to_pkg: str

    def path(self, path: str) -> str:
        """Where a file of the folder goes."""
        return self.to_dir + path[len(self.dir) :]

    def package(self, pkg: str) -> str:
        """What an import path is afterwards."""
        inside = pkg == self.pkg or pkg.startswith((f"{self.pkg}/", f"{self.pkg}_test"))
        return self.to_pkg + pkg[len(self.pkg) :] if inside else pkg


def find_folder(scope: Scope, info: PackageInfo, to: str) -> Folder | None:
    """The folder that bears the name of a package, on its way to another; None where it bears
    another name, or is the root of a module."""
    parent, _, name = info.dir.rpartition("/")
    root = scope.module_of(info.pkg)
    if name != info.name or root is None or root[0] == info.pkg:
        return None
    if name in _UNSEEN or to in _UNSEEN or to.startswith("_"):
        raise Reject("bad_new_name", f"a folder called {to if to in _UNSEEN else name}")
    above = info.pkg.rpartition("/")[0]
    return Folder(info.dir, info.pkg, join_path(parent, to), f"{above}/{to}")


def move_folder(scope: Scope, folder: Folder, plan: Plan) -> Plan:
    """A plan that renames a package, with its folder: the files go, import paths follow."""
    files = scope.files_below(folder.dir)
    if scope.files_below(folder.to_dir):
        raise Reject("folder_exists", folder.to_dir)
    if modules := [path for path in files if path.endswith("/go.mod")]:
        raise Reject("holds_module", ", ".join(modules))
    others = _list_importers(scope, folder, files)
    _refuse_embedded(scope, folder, others)
    edits = [*plan.edits]
    for path in (*(f for f in files if _is_source(f)), *others):
        edits += _path_edits(scope, path, folder)
    inside = set(files)
    outside, carried = [e for e in edits if e.path not in inside], list[Carried]()
    for path in files:
        src = scope.source(path)
        own = [e for e in edits if e.path == path]
        text, kept = carry(src, Span(0, len(src)), own)
        carried += [Carried(len(outside), at, path, span) for at, span in kept]
        outside += [Edit(folder.path(path), Span(0, 0), text), Edit(path, Span(0, 0), None)]
    moves = tuple(dict.fromkeys(_list_moved(scope, folder, files)))
    return replace(
        plan,
        edits=tuple(outside),
        carried=tuple(carried),
        moves=moves,
        gone=tuple((moved.pkg, moved.sym) for moved in moves if moved.sym),
        warnings=tuple(_list_generators(scope, folder, [*files, *others])),
        unproven=(
            f"what names {folder.dir} outside of Go's imports",
            "the order of packages among which no import decides: it is that of their paths",
        ),
        notes=plan.notes | Notes(moved=[f"{folder.dir} to {folder.to_dir}"]),
    )


def _is_source(path: str) -> bool:
    """Whether the go command may compile a file: no test data, and nothing hidden."""
    parts = path.split("/")
    hidden = any(part == "testdata" or part.startswith(("_", ".")) for part in parts)
    return path.endswith(".go") and not hidden


def _list_importers(scope: Scope, folder: Folder, files: Sequence[str]) -> list[str]:
    """The Go files outside of the folder that may speak of a package of it."""
    module = scope.module_of(folder.pkg)
    found = {*scope.module_files(module[0])} if module else set()
    packages = {scope.package_of(path) or "" for path in files if _is_source(path)}
    for pkg in packages:
        found |= {ref.path for ref in check_inside(scope, scope.refs(pkg, ""))}
    return sorted(path for path in found - {*files} if _is_source(path))


def _path_edits(scope: Scope, path: str, folder: Folder) -> Iterator[Edit]:
    """The import paths of the folder in a file: of imports, doc links and linkname directives."""
    src, old = scope.source(path), folder.pkg.encode()
    if old not in src:
        return
    tree = scope.tree(path)
    for imp in list_imports(tree, src):
        literal = nodes.find_field(imp.node, "path")
        if literal is not None and folder.package(imp.path) != imp.path:
            at = literal.start_byte + 1
            yield Edit(path, Span(at, at + len(old)), folder.to_pkg.encode())
    word = rb"(?:\[\*?|^//go:linkname .*\s)(" + re.escape(old) + rb")(?=[./\]])"
    for node in nodes.descendants(tree.root_node):
        if node.type == nodes.COMMENT:
            for match in re.finditer(word, src[node.start_byte : node.end_byte], re.MULTILINE):
                span = Span(node.start_byte + match.start(1), node.start_byte + match.end(1))
                yield Edit(path, span, folder.to_pkg.encode())


def _list_moved(scope: Scope, folder: Folder, files: Sequence[str]) -> Iterator[Moved]:
    """Each package once, and what it declares."""
    packages = {path: scope.package_of(path) for path in files if _is_source(path)}
    for pkg in sorted(filter(None, packages.values())):
        yield Moved(pkg, "", folder.package(pkg))
    for path, of in packages.items():
        for decl in list_decls(scope.tree(path), scope.source(path), path):
            if of is not None and decl.kind != "method" and decl.sym not in ("init", "_"):
                yield Moved(of, decl.sym, folder.package(of))


def _refuse_embedded(scope: Scope, folder: Folder, others: Sequence[str]) -> None:
    """Reject a folder that an embed directive of a folder above it takes in: what is embedded has
    its name there at run time."""
    for path in others:
        above = path.rpartition("/")[0]
        src = scope.source(path)
        if above and not folder.dir.startswith(f"{above}/"):
            continue
        inside = folder.dir[len(above) :].strip("/")
        for embed in list_embeds(src):
            if may_embed(embed.pattern, inside):
                point = point_at(src, path, embed.at)
                raise Reject("embeds_files", folder.dir, diagnostics=(point,))


def _list_generators(scope: Scope, folder: Folder, files: Sequence[str]) -> list[Finding]:
    """The commands of go generate that name the folder, which only their author can follow."""
    name, found = folder.dir.rpartition("/")[2].encode(), list[Finding]()
    word = re.compile(rb"(?<![\w-])" + re.escape(name) + rb"(?![\w-])")
    for path in files:
        src = scope.source(path) if path.endswith(".go") else b""
        for match in _GENERATE.finditer(src):
            if word.search(match[0]):
                told = "the command may name the folder, which has moved"
                point = point_at(src, path, match.start(), told)
                found.append(replace(point, code="names_folder"))
    return found[:LIMIT]
