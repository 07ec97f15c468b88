"""Where a test goes: the file beside the tested one, its package, the names that are taken there.

Invariant: a file's own package clause says whether its tests are internal or external.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from grammar_ops.edit import Edit, Span
from grammar_ops.op import ImportWish
from grammar_ops.reject import Reject
from grammar_ops.scope import PackageInfo, Scope
from grammar_ops.syntax import docs
from grammar_ops.syntax.callee import Callee, Caller, ask_callee
from grammar_ops.syntax.decls import Decl, find_decl, find_package_name
from grammar_ops.syntax.fragment import is_identifier
from grammar_ops.syntax.names import run_kind
from grammar_ops.syntax.notices import find_notice
from grammar_ops.syntax.typefacts import numbered

_TEST = "_test"
_INTERNAL = "_internal_test.go"


class TestHome(NamedTuple):
    """A test file, there or to be: its path, its package clause, its package as it is addressed."""

    path: str
    clause: str
    caller: Caller
    exists: bool
    head: str
    """The notice and the build constraint that a new file shares with the tested one."""
    module: str

    def is_outside_std(self, path: str) -> bool:
        """Whether an import path is not one of the standard library."""
        own = path == self.module or path.startswith(f"{self.module}/")
        return own or "." in path.partition("/")[0]


def find_home(
    scope: Scope, pkg: str, decl: Decl, type_args: tuple[str, ...]
) -> tuple[TestHome, Callee]:
    """The test file of a function, and the function as that file sees it."""
    info = package_of(scope, pkg)
    for home in _homes(scope, info, decl):
        callee = ask_callee(scope, decl, home.caller, type_args)
        if not callee.hidden:
            return home, callee
    return home, callee  # the last one is internal: whatever it can't name, nobody can


def package_of(scope: Scope, pkg: str) -> PackageInfo:
    """The package that a test or a tested function belongs to."""
    info = scope.find_package(pkg) or scope.find_package(pkg.removesuffix(_TEST))
    if info is None:
        raise Reject("package_not_found", pkg)
    return info


def _homes(scope: Scope, info: PackageInfo, decl: Decl) -> Iterator[TestHome]:
    """The files that may take the test, the best first."""
    if decl.path.endswith(f"{_TEST}.go"):
        yield _home(scope, info, decl, decl.path, external=False)
        return
    stem = decl.path.removesuffix(".go")
    found = _home(scope, info, decl, f"{stem}{_TEST}.go", external=_prefers_external(scope, info))
    yield found
    if found.clause != info.name:
        # Nobody can put an internal test into an external file.
        path = f"{stem}{_INTERNAL}" if found.exists else found.path
        yield _home(scope, info, decl, path, external=False)


def _home(scope: Scope, info: PackageInfo, decl: Decl, path: str, external: bool) -> TestHome:
    clause = f"{info.name}{_TEST}" if external else info.name
    try:
        clause = find_package_name(scope.tree(path), scope.source(path)) or clause
        exists, head = True, ""
    except Reject:
        exists = False
        head = find_notice(scope, [decl.path]) + _constraint(scope.source(decl.path))
    outer = clause != info.name
    caller = Caller(path, f"{info.pkg}{_TEST}" if outer else info.pkg)
    return TestHome(path, clause, caller, exists, head, info.module)


def _prefers_external(scope: Scope, info: PackageInfo) -> bool:
    """Whether the package's tests are external for the most part."""
    outer = [path for path in list_test_files(info) if _is_external(scope, info, path)]
    return bool(outer) and 2 * len(outer) >= len(list_test_files(info))


def _is_external(scope: Scope, info: PackageInfo, path: str) -> bool:
    return find_package_name(scope.tree(path), scope.source(path)) != info.name


def list_test_files(info: PackageInfo) -> list[str]:
    """The test files of a package, external ones too."""
    return [path for path, _ in info.files if path.endswith(f"{_TEST}.go")]


def _constraint(src: bytes) -> str:
    """The build constraint of a file with its blank line, "" for none."""
    lines = takewhile(lambda line: not line.startswith("package "), src.decode().splitlines())
    found = [line for line in lines if line.startswith("//go:build ")]
    return f"{found[0]}\n\n" if found else ""


def pick_name(scope: Scope, info: PackageInfo, prefix: str, name: str, parts: list[str]) -> str:
    """The name of a new test: as given, else made of the parts of what it tests.

    Reject(bad_test_name) for what go test would not run, Reject(test_exists) with a free name.
    """
    made = "_".join(part[:1].upper() + part[1:] for part in parts)
    wanted = name.strip() or f"{prefix}{made}"
    if not is_identifier(wanted) or run_kind(wanted, True, False) != prefix:
        rest = wanted.removeprefix(prefix).lstrip("_")
        near = f"{prefix}{rest[:1].upper()}{rest[1:]}"
        mean = (near,) if is_identifier(near) else (f"{prefix}{made}",)
        raise Reject("bad_test_name", wanted, did_you_mean=mean)
    if is_taken(scope, info, wanted):
        names = _suffixed(wanted) if prefix == "Example" else numbered(wanted)
        free = next(n for n in names if not is_taken(scope, info, n))
        raise Reject("test_exists", wanted, did_you_mean=(free,))
    return wanted


def _suffixed(name: str) -> Iterator[str]:
    """Names of more examples of the same: a number would make them those of something else."""
    return (f"{name}_{'other' * count}" for count in range(1, 1000))


def is_taken(scope: Scope, info: PackageInfo, name: str) -> bool:
    """Whether a file of the package, or of its external tests, declares a name."""
    mark = name.encode()
    return any(
        mark in scope.source(path)
        and find_decl(scope.tree(path), scope.source(path), name, path) is not None
        for path, _ in info.files
    )


def land(scope: Scope, home: TestHome, text: str, imports: Sequence[ImportWish]) -> Edit:
    """The edit that puts a test at the end of its file, which it may begin."""
    if not home.exists:
        head = f"{home.head}package {home.clause}\n\n{_import_block(home, imports)}{text}\n"
        return Edit(home.path, Span(0, 0), head.encode())
    src = scope.source(home.path)
    at = len(src.rstrip())
    tail = b"" if docs.ends_line(src, at) and src[at:] else b"\n"
    return Edit(home.path, Span(at, at), f"\n\n{text}".encode() + tail)


def _import_block(home: TestHome, imports: Sequence[ImportWish]) -> str:
    """The imports of a new file, those of the standard library first."""
    specs = {wish.import_path: f'{wish.name} "{wish.import_path}"'.strip() for wish in imports}
    outer = {path for path in specs if home.is_outside_std(path)}
    groups = [sorted(specs.keys() - outer), sorted(outer)]
    lines = ["\n".join(f"\t{specs[path]}" for path in group) for group in groups if group]
    if len(specs) == 1:
        return f"import {next(iter(specs.values()))}\n\n"
    return "import (\n" + "\n\n".join(lines) + "\n)\n\n"


def wishes(
    home: TestHome, wanted: Sequence[tuple[str, str]], paths: Sequence[str]
) -> tuple[ImportWish, ...]:
    """The imports that a test asks for, those in `paths` under their own names."""
    found = dict.fromkeys([*((path, "") for path in paths), *wanted])
    return tuple(ImportWish(home.path, path, name) for path, name in found)
