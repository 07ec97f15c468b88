"""Where a new declaration lands: behind its type, in a file of its package, or in a new file.

Invariant: test functions go to test files and others never do; generated files take nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Reject, register
from grammar_ops.scope import PackageInfo, Scope
from grammar_ops.syntax import groups
from grammar_ops.syntax.decls import Decl, list_decls
from grammar_ops.syntax.names import package_name, run_kind
from grammar_ops.syntax.newdecl import NewDecl, append_decl, insert_member, prepend_decl
from grammar_ops.syntax.notices import find_notice, is_generated

register(
    "grammar",
    {
        "package_outside_module": "the package would be outside the modules of the workspace",
        "package_exists_unloaded": "the file to create exists, but is not part of the build",
        "several_places": "a new declaration has one place: give one of file, after and before",
        "beside_another_package": "what a declaration is to stand beside is not of its package",
        "file_outside_package": "the file is no Go file in the folder of the package",
    },
)

_NEW_FILE, _NEW_TEST_FILE = "agent.go", "agent_test.go"
MISSES = frozenset(
    {"package_not_found", "symbol_not_found", "member_not_found", "receiver_type_not_found"}
)


@dataclass(frozen=True)
class Place:
    """Where the caller wants a new declaration: in a file, or beside another declaration."""

    file: str = ""
    after: str = ""
    before: str = ""

    @property
    def is_given(self) -> bool:
        """Whether the caller said anything."""
        return bool(self.file or self.after or self.before)


def land_at(scope: Scope, pkg: str, new: NewDecl, place: Place) -> tuple[Edit, str]:
    """The edit that adds a declaration where the caller wants it, and what that does in a word."""
    if sum(map(bool, (place.file, place.after, place.before))) > 1:
        raise Reject("several_places", new.sym)
    if place.file:
        path = resolve_file(scope, pkg, place.file)
        if is_there(scope, path):
            return _append(scope, path, new), "added"
        info = scope.find_package(pkg)
        package = info.name if info else _new_name(pkg, new)
        action = "created-file" if info else "created-package"
        return _begin_file(scope, path, info, package, new), action
    mate = resolve_mate(scope, pkg, place.after or place.before)
    src, group = scope.source(mate.path), mate.group
    if group is not None and group.keyword == new.keyword and new.is_single:
        behind = [spec.start_byte for spec in group.specs].index(mate.node.start_byte)
        groups.refuse_insertion(src, group, behind + bool(place.after))
        return insert_member(src, mate, new, after=bool(place.after)), "added"
    full = group.full_span if group else mate.full_span
    gap = "\n" if group is None and _stacks(src, mate, new) else "\n\n"
    if place.after:
        return append_decl(src, mate.path, new, full.end, gap), "added"
    return prepend_decl(mate.path, new, full.start, gap), "added"


def resolve_mate(scope: Scope, pkg: str, sym: str) -> Decl:
    """The declaration of a package, or of its tests, that another is to stand beside;
    Reject(beside_another_package)."""
    mate = scope.resolve_decl(pkg, sym)
    home = scope.package_of(mate.path) or ""
    if home.removesuffix("_test") != pkg.removesuffix("_test"):
        raise Reject("beside_another_package", f"{sym} is of {home}, not of {pkg}")
    return mate


def _append(scope: Scope, path: str, new: NewDecl) -> Edit:
    """At the end of a file, directly below the last line where the two stack."""
    src = scope.source(path)
    last = list_decls(scope.tree(path), src, path)[-1:]
    ends = bool(last) and last[0].group is None and last[0].full_span.end == len(src.rstrip())
    gap = "\n" if ends and _stacks(src, last[0], new) else "\n\n"
    return append_decl(src, path, new, gap=gap)


def _stacks(src: bytes, mate: Decl, new: NewDecl) -> bool:
    """Whether two declarations stand on adjacent lines: undocumented ones of one line each.

    That is how people write them; types alone keep a blank line.
    """
    old = src[mate.full_span.start : mate.full_span.end]
    alike = new.keyword != "type" and old.startswith(new.keyword.encode())
    return alike and b"\n" not in old and "\n" not in new.doc + new.text


def resolve_file(scope: Scope, pkg: str, file: str) -> str:
    """A file of a package, there or not, by its name or its path; Reject(file_outside_package)."""
    info = scope.find_package(pkg)
    folder = info.dir if info else _new_folder(scope, pkg)
    folder = "" if folder == "." else folder
    where, _, name = file.removeprefix("./").rpartition("/")
    if not name.endswith(".go") or where not in ("", folder):
        raise Reject("file_outside_package", f"{file}: {pkg} is in {folder or 'the root'}")
    return f"{folder}/{name}" if folder else name


def land_new(scope: Scope, pkg: str, new: NewDecl) -> tuple[Edit, str]:
    """The edit that adds a declaration to a package, and what that does in a word."""
    is_test = new.kind == "func" and bool(run_kind(new.sym, True, False)) and new.sym != "init"
    info = scope.find_package(pkg)
    if info is None:
        folder, name = _new_folder(scope, pkg), _new_name(pkg, new)
        return _create_file(scope, folder, None, name, new, is_test), "created-package"
    beside = _beside_type(scope, pkg, new) if new.kind == "method" else None
    if beside is not None:
        return beside, "added"
    path = _pick_file(scope, info, is_test)
    if path is not None:
        return append_decl(scope.source(path), path, new), "added"
    return _create_file(scope, info.dir, info, info.name, new, is_test), "created-file"


def _beside_type(scope: Scope, pkg: str, new: NewDecl) -> Edit | None:
    """Behind the last method of the receiver's type in the type's file, else behind the type."""
    owner_sym = new.sym.partition(".")[0]
    try:
        owner = scope.resolve_decl(pkg, owner_sym)
    except Reject as miss:
        if miss.reason in MISSES:
            return None
        raise
    src = scope.source(owner.path)
    if is_generated(src):
        return None
    last = owner.group.full_span.end if owner.group else owner.full_span.end
    for decl in list_decls(scope.tree(owner.path), src):
        if decl.kind == "method" and decl.sym.partition(".")[0] == owner_sym:
            last = max(last, decl.full_span.end)
    return append_decl(src, owner.path, new, last)


def _pick_file(scope: Scope, info: PackageInfo, is_test: bool) -> str | None:
    """The first file of the package that takes hand-written code of this kind."""
    roles = ("test", "xtest") if is_test else ("go", "cgo")
    paths = [path for role in roles for path, its in info.files if its == role]
    paths.sort(key=lambda path: path.rpartition("/")[2] == "doc.go")
    return next((path for path in paths if not is_generated(scope.source(path))), None)


def _new_folder(scope: Scope, pkg: str) -> str:
    """Where a package that is not there would be; Reject(package_outside_module)."""
    module = scope.module_of(pkg)
    if module is None:
        raise Reject("package_outside_module", pkg)
    path, folder = module
    parts = [folder.strip("/"), pkg.removeprefix(path).strip("/")]
    return "/".join(part for part in parts if part not in ("", "."))


def _new_name(pkg: str, new: NewDecl) -> str:
    return "main" if new.sym == "main" and new.kind == "func" else package_name(pkg)


def _create_file(
    scope: Scope, folder: str, info: PackageInfo | None, name: str, new: NewDecl, is_test: bool
) -> Edit:  # fmt: skip
    file = _NEW_TEST_FILE if is_test else _NEW_FILE
    path = f"{folder}/{file}" if folder not in ("", ".") else file
    if is_there(scope, path):
        raise Reject("package_exists_unloaded", path)
    return _begin_file(scope, path, info, name, new)


def _begin_file(
    scope: Scope, path: str, info: PackageInfo | None, package: str, new: NewDecl
) -> Edit:
    """A file that holds a declaration, with the notice that the package's first file has."""
    notice = find_notice(scope, (file for file, _ in info.files)) if info else ""
    text = f"{notice}package {package}\n\n{new.doc}{new.text}\n"
    return Edit(path, Span(0, 0), text.encode())


def is_there(scope: Scope, path: str) -> bool:
    """Whether the draft has a file."""
    try:
        scope.source(path)
    except Reject:
        return False
    return True
