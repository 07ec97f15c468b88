"""Scope: all that a planner may ask while it plans, as one small protocol.

Invariant: every answer speaks of the draft's current text (earlier ops of the patch applied).
Invariant: a scope is fakeable with a dict of files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from grammar_ops.edit import Span
from grammar_ops.reject import Json, register

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from grammar_ops.syntax.decls import Decl


register("grammar", {"file_not_found": "no file of the workspace has that path"})


class Ref(NamedTuple):
    """One reference to an object: where its identifier stands now, in what role of the facts."""

    path: str
    span: Span
    role: str
    encl: str
    """Address (`pkg.Sym`) of the enclosing declaration, or "" in a package initialiser."""
    generated: bool = False


class ObjectInfo(NamedTuple):
    """What the facts say of an addressed object."""

    pkg: str
    sym: str
    kind: str
    type: str
    path: str
    name_span: Span
    flags: frozenset[str]
    """Of: embedded generic grouped iota inherits generated interface struct pointer_receiver
    variadic shares_spec bodyless in_assembly."""


class Family(NamedTuple):
    """The methods that interfaces tie to one another, so that none changes its name alone."""

    members: tuple[ObjectInfo, ...]
    outside: tuple[str, ...]
    """Addresses of methods of the family that the workspace does not declare."""
    tied: bool
    """Whether a conversion or assertion between two of its types is written anywhere."""


class PackageInfo(NamedTuple):
    """A workspace package: import path, package name, folder, its Go files with their roles."""

    pkg: str
    name: str
    dir: str
    module: str
    files: tuple[tuple[str, str], ...]
    """(path, role) with role one of go test xtest cgo ignored, in file-name order."""


class Place(NamedTuple):
    """A position that the caller gave, where it stands now."""

    path: str
    at: int
    exact: bool
    """Whether it had a column; without one it is the first byte of its line that is no blank."""


class ModuleInfo(NamedTuple):
    """A module of the workspace: its path, its folder, and whether the build takes what it imports
    from a vendor folder."""

    path: str
    dir: str
    vendored: bool = False


class Target(NamedTuple):
    """What a handle names: a node of the current tree of `path`, and the function it is in."""

    path: str
    node: Node
    kind: str
    """stmt, clause, block (an else block or the body `n0`) or slot (such as `n4.cond`)."""
    function: Decl


class Scope(Protocol):
    """The planner's window on the draft, the facts and (through `ask`) the type checker."""

    def source(self, path: str) -> bytes:
        """Current bytes of a file; Reject(file_not_found) when there is none."""

    def tree(self, path: str) -> Tree:
        """Current syntax tree of a file."""

    def written(self, path: str) -> list[tuple[int, int, int]]:
        """(start, end, op) of the text that earlier ops of the patch wrote into a file."""

    def resolve_decl(self, pkg: str, sym: str) -> Decl:
        """The declaration addressed, at its current place; Reject with near names for none."""

    def find_place(self, pkg: str, sym: str) -> Place | None:
        """Where the position `file.go:line[:col]` that `sym` gives stands now; None when it is no
        position; Reject when there is nothing."""

    def resolve_target(self, pkg: str, sym: str, at: str) -> Target:
        """The node that handle `at` (`nK`, `nK.slot`, `$N`) names now; Reject(unknown_handle,
        unknown_ref)."""

    def find_object(self, pkg: str, sym: str) -> ObjectInfo | None:
        """What the facts know of an object of the base, None for one that this patch introduced."""

    def refs(self, pkg: str, sym: str) -> list[Ref]:
        """Every reference to an object, all packages, variants and files outside the build
        included, by file and offset; those that an earlier op rewrote are left out."""

    def related(self, pkg: str, sym: str, relation: str) -> list[ObjectInfo]:
        """Objects bound to this one: `embedded_fields` (fields that embed a type), `members`,
        `implementors`, `interface_methods` (those a method satisfies)."""

    def family(self, pkg: str, sym: str) -> Family:
        """The family of a method: every method, of types, tests and interfaces, that an interface
        ties to it, itself included."""

    def find_package(self, pkg: str) -> PackageInfo | None:
        """A workspace package by import path, draft files included."""

    def resolve_package(self, pkg: str, *, must_exist: bool) -> str:
        """The import path that a path, suffix or folder means; Reject with near paths, or the text
        as it was given where it need not exist."""

    def imports_of(self, pkg: str) -> frozenset[str]:
        """The workspace packages that a package imports, tests aside, before the patch."""

    def declares(self, pkg: str, sym: str) -> bool:
        """Whether a package declares a name or member."""

    def inner_path(self, path: str) -> str | None:
        """A path below the workspace's root for one that a caller wrote, absolute ones included;
        None for what is elsewhere."""

    def near_files(self, path: str) -> tuple[str, ...]:
        """Files of the workspace that a path which is none may mean."""

    def package_of(self, path: str) -> str | None:
        """Import path of a file's package; `p_test` for a file of external tests."""

    def module_of(self, pkg: str) -> tuple[str, str] | None:
        """(module path, module folder) that an import path would belong to, None outside."""

    def resolve_module(self, pkg: str) -> ModuleInfo:
        """The module that a package, folder or module path is of, the only one for ""; Reject
        several_modules."""

    def module_files(self, module: str) -> list[str]:
        """Every Go file in the folders of a module, whatever the build makes of it, sorted."""

    def files_below(self, folder: str) -> list[str]:
        """Every file in a folder and the folders in it, whatever it is, sorted; from then on it has
        a source."""

    def recipes(self) -> list[tuple[str, bytes]]:
        """(path, text) of the files outside of Go that say how the workspace is built."""

    def check_fragment(self, kind: str, text: str) -> str | None:
        """The Go parser's word on a fragment (expr stmts decl type signature file) or None."""

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """One question to the checker over the current draft (type_at, names_at, uses_of, …)."""
