"""What agocheck answers, as types: the shapes of the wire contract that Python reads.

Invariant: nothing here is behaviour; a field that is read somewhere is declared here alone.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Diag(TypedDict):
    file: str
    line: int
    col: int
    offset: int
    end: int
    code: str
    msg: str
    source: str
    soft: NotRequired[bool]
    revealed: NotRequired[bool]  # fmt: skip


class Context(TypedDict):
    """The build context of a load."""

    goos: str
    goarch: str
    tags: list[str] | None
    cgo: bool
    go_version: str
    goroot: str
    gomodcache: str
    compiler_present: bool


class Module(TypedDict):
    """One module of the build list."""

    path: str
    dir: str
    main: bool
    go_version: str
    gomod: str
    workspace: bool


class PackageFile(TypedDict):
    """One file of a package; role: go test xtest cgo ignored asm c embed other."""

    path: str
    role: str


class Package(TypedDict):
    """One workspace package of the graph."""

    pkg: str
    name: str
    dir: str
    module: str
    files: list[PackageFile] | None
    imports: list[str] | None
    test_imports: list[str] | None
    xtest_imports: list[str] | None
    main: bool
    cgo: NotRequired[bool]
    error: NotRequired[str]


class ViewNotLoaded(TypedDict):
    """A nested module that this build does not use."""

    dir: str
    module: str
    reason: str
    replaces: list[str] | None


class AbsentPackage(TypedDict):
    """A package that the build imports and that no module here provides."""

    path: str
    why: str
    mend: list[str]
    by: list[str]


class LoadResult(TypedDict):
    """The answer to `load`: the graph, or why there is none."""

    state: str
    message: NotRequired[str]
    mend: NotRequired[list[str] | None]
    context: Context
    modules: list[Module] | None
    packages: list[Package] | None
    views_not_loaded: NotRequired[list[ViewNotLoaded] | None]
    problems: NotRequired[list[Diag] | None]
    outside: NotRequired[list[str]]
    """Packages outside the root that import the workspace: checked, and never edited."""
    missing: NotRequired[list[AbsentPackage]]


class FileResult(TypedDict):
    """A file of a unit: content hash and resolution hash."""

    path: str
    hash: str
    vector: str


ObjectRow = tuple[int, str, str, str, bool, int, int, int, int, int, int, int, int]
"""obj, kind, type, doc, exported, file, name_off, name_line, name_col, decl_off, decl_end, parent,
flags"""
UseRow = tuple[int, int, int, int, int, int, str, int, int]
"""obj, file, off, line, col, len, role, encl_obj, encl_init"""
ImportRow = tuple[int, str, str, int, str]
"""file, path, name, off, pkgname"""
MethodRow = tuple[int, int, str, str, int, int]
"""type, ptr, id, sig, via, method"""
AssertRow = tuple[int, int, int, int, str]
"""type, interface, file, off, form"""
EffectRow = tuple[int, int, int, int, int, int, str]
"""encl_obj, encl_init, file, off, line, col, form"""


class Facts(TypedDict):
    """Rows of one unit; obj and file columns index `objs` and the unit's `files`."""

    objs: list[tuple[str, str]] | None
    objects: list[ObjectRow] | None
    uses: list[UseRow] | None
    imports: list[ImportRow] | None
    methods: list[MethodRow] | None
    asserts: list[AssertRow] | None
    effects: list[EffectRow] | None
    kept: NotRequired[list[int] | None]
    """Files whose uses outside of comments are those of the unit as it was sent last."""


class UnitResult(TypedDict):
    """What one checked unit yields."""

    pkg: str
    variant: str
    module: str
    name: str
    api_hash: str
    errors: bool
    diagnostics: list[Diag] | None
    files: list[FileResult] | None
    facts: NotRequired[Facts]


class UnitRef(TypedDict):
    """A unit by its key."""

    pkg: str
    variant: str


class Event(TypedDict, total=False):
    """An event of check_all, advance, refresh or facts: one of these."""

    unit: UnitResult
    gone: UnitRef
    progress: Progress


class Progress(TypedDict):
    """How far a long load is."""

    phase: str
    done: int
    total: int


class CheckAllResult(TypedDict):
    """The answer to `check_all`; a further build names the packages that it speaks of."""

    units: int
    ms: int
    deps_ms: int
    deps_built: int
    packages: NotRequired[list[Package]]


class FurtherContext(TypedDict):
    """A build context beside the workspace's own."""

    goos: str
    goarch: str
    tags: list[str] | None
    cgo: bool
    files: NotRequired[list[str]]
    """Which of the files that the own build leaves out it compiles."""


class ContextsResult(TypedDict):
    """The answer to `contexts`."""

    contexts: list[FurtherContext]


class MovedResult(TypedDict):
    """The answer to `advance` and `refresh`: packages whose graph row changed."""

    packages: list[Package] | None
    gone: list[str] | None
    outside: NotRequired[list[str]]
    missing: NotRequired[list[AbsentPackage]]
    reload: NotRequired[bool]
    read: NotRequired[dict[str, str]]
    """Content hashes of the files that a refresh read, "" for one that was not there."""


class MemoryResult(TypedDict):
    """Heap in use and memory got from the system, in bytes."""

    heap: int
    sys: int


class RawChange(TypedDict):
    kind: str
    file: str
    line: int
    col: int
    offset: int
    base_offset: int
    name: str
    old: str
    new: str
    pkg: str
    variant: str  # fmt: skip


class RawUnitVerdict(TypedDict):
    """One unit of a check."""

    pkg: str
    variant: str
    recheck: str
    errors: bool
    diagnostics: list[Diag] | None
    base_diagnostics: list[Diag] | None


class Tainted(TypedDict):
    """A package agocheck can't speak for."""

    pkg: str
    reason: str


class Unproven(TypedDict):
    """Something that no proof covers."""

    what: str
    reason: str


class RawCheck(TypedDict):
    """The answer to `check`."""

    candidate: str
    judged: bool
    units: list[RawUnitVerdict] | None
    changes: list[RawChange] | None
    api_changed: list[str] | None
    apis: dict[str, str]
    reaches: list[str] | None
    elsewhere: list[str] | None
    left: list[str] | None
    tainted: list[Tainted] | None
    unproven: list[Unproven] | None
    packages: int
    ms: int


class RawFormatted(TypedDict):
    """One formatted file."""

    path: str
    text: NotRequired[str]
    b64: NotRequired[str]
    error: NotRequired[Diag | None]
    map: NotRequired[list[tuple[int, int, int]] | None]


class RawSyntax(TypedDict):
    """Whether a fragment is Go."""

    ok: bool
    diags: list[Diag] | None
