"""Destinations: the package and the files that text moves to, found, or to be made.

Invariant: what is in few builds lands in a file that is in the same ones; tests land among tests;
generated files take nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from grammar_ops.reject import Reject, register
from grammar_ops.scope import PackageInfo, Scope
from grammar_ops.syntax.constraints import constraint_of
from grammar_ops.syntax.decls import find_package_name
from grammar_ops.syntax.fragment import is_identifier
from grammar_ops.syntax.landing import is_there
from grammar_ops.syntax.names import package_name
from grammar_ops.syntax.notices import find_notice, is_generated
from grammar_ops.syntax.parse import parse

register(
    "grammar",
    {
        "target_pkg_not_found": "no package of the workspace has that path; create_pkg makes it",
        "bad_target_file": "the text can't stand in a file of that name or package",
    },
)

_ROLES = {"go": ("go", "cgo", "ignored"), "test": ("test",), "xtest": ("xtest",)}


class Destination(NamedTuple):
    """A package that takes text: import path, name, folder, files; `new` says that it is made."""

    pkg: str
    name: str
    folder: str
    files: tuple[tuple[str, str], ...]
    new: bool = False

    def path(self, name: str) -> str:
        """The path of a file of the package's folder."""
        return join_path(self.folder, name)


class Landing(NamedTuple):
    """A file that takes text, with what it begins with where it is made."""

    path: str
    role: str
    """go, test or xtest."""
    head: bytes = b""
    """The text of a file that is not there yet, b"" for one that is."""


def find_destination(
    scope: Scope, pkg: str, to_pkg: str, *, create: bool = False, name: str = ""
) -> Destination:
    """The package `to_pkg` as seen from `pkg`; Reject target_pkg_not_found, package_outside_module,
    package_exists_unloaded."""
    try:
        found = scope.resolve_package(to_pkg, must_exist=True)
    except Reject as miss:
        if miss.reason != "package_not_found":
            raise
        return _new_package(scope, pkg, to_pkg, miss, create=create, name=name)
    info = scope.find_package(found)
    assert info is not None
    return _known(info)


def _known(info: PackageInfo) -> Destination:
    return Destination(info.pkg, info.name, info.dir, info.files)


def _new_package(
    scope: Scope, pkg: str, to_pkg: str, miss: Reject, *, create: bool, name: str
) -> Destination:
    home = scope.module_of(pkg.removesuffix("_test"))
    path = to_pkg.strip("/").removeprefix("./")
    if scope.module_of(path) is None and home and "." not in path.split("/", 1)[0]:
        path = f"{home[0]}/{path}"
    module = scope.module_of(path)
    if not create:
        facts = {"create_pkg": module is not None}
        near = miss.did_you_mean
        raise Reject("target_pkg_not_found", to_pkg, did_you_mean=near, facts={**facts})
    if module is None:
        raise Reject("package_outside_module", to_pkg)
    if name and not is_identifier(name):
        raise Reject("bad_target_file", f"{name} is no package name")
    folder = join_path(module[1], path[len(module[0]) :].strip("/"))
    return Destination(path, name or package_name(path), folder, (), new=True)


def find_landing(
    scope: Scope, to: Destination, role: str, source: str, made: Collection[Landing] = ()
) -> Landing:
    """The first file of the package for text of `source`, else a file to be made (perhaps one of
    `made`); `role` is go, test or xtest."""
    wanted = constraint_of(source, scope.source(source))
    for path, its in to.files:
        src = scope.source(path)
        taken = is_generated(src) or b'import "C"' in src
        if its in _ROLES[role] and constraint_of(path, src) == wanted and not taken:
            return Landing(path, role)
    suffix, line = wanted
    ends = {"go": "", "test": "_test", "xtest": "_test"}[role]
    stems = ("agent", "agent_external", "agent_more")
    own = [source.rpartition("/")[2]] if suffix or line else []
    names = own + [f"{stem}{suffix}{ends}.go" for stem in stems]
    head = _head_of_new(scope, to, role, source, line)
    others = {landing.path for landing in made if landing.head != head}
    paths = [to.path(name) for name in names]
    free = next((p for p in paths if p not in others and not is_there(scope, p)), "")
    if not free:
        raise Reject("package_exists_unloaded", paths[0])
    return Landing(free, role, head)


def _head_of_new(scope: Scope, to: Destination, role: str, source: str, build_line: str) -> bytes:
    """What a new file of a package begins with that takes text of `source`."""
    build = f"//go:build {build_line}\n\n" if build_line else ""
    name = f"{to.name}_test" if role == "xtest" else to.name
    return f"{find_notice(scope, [source])}{build}package {name}\n".encode()


def named_landing(scope: Scope, to: Destination, name: str, role: str, source: str) -> Landing:
    """The file that a caller names; Reject bad_target_file when it can't take the text."""
    path = to.path(name.rpartition("/")[2])
    if not path.endswith(".go"):
        raise Reject("bad_target_file", f"{path} is no Go file")
    wanted = constraint_of(source, scope.source(source))
    if not is_there(scope, path):
        made = constraint_of(path, b"")
        if made[0] != wanted[0]:
            raise Reject("bad_target_file", f"{path} is in other builds than {source}")
        return Landing(path, role, _head_of_new(scope, to, role, source, wanted[1]))
    src = scope.source(path)
    if constraint_of(path, src) != wanted:
        raise Reject("bad_target_file", f"{path} is in other builds than {source}")
    clause = find_package_name(parse(src), src)
    if (role == "xtest") != (clause == f"{to.name}_test"):
        raise Reject("bad_target_file", f"{path} is of package {clause}")
    return Landing(path, role)


def join_path(folder: str, rest: str) -> str:
    """A path below a folder of the workspace; "" and "." are the root."""
    return "/".join(part for part in (folder.strip("/"), rest) if part not in ("", "."))
