"""One model per tool request, and the tool table.

Invariant: unknown argument names are refused; what is optional has a default that means "not
given".
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from grammar_ops.reject import Json

LIST_TOKENS = 360
"""Lists that are looked through rather than read whole: the first page is a short one."""


class Request(BaseModel):
    """Base of every request."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Addressed(Request):
    """A request about one declaration."""

    pkg: str = Field("", description="package: import path, unique suffix of one, or folder")
    sym: str = Field("", description="Name, Type.Member, pkg.Name, file.go or file.go:line[:col]")


class Paged(Request):
    """A request whose answer is a list."""

    offset: int = Field(0, ge=0, description="first hit to answer")
    max_tokens: int = Field(0, ge=0, description="budget of the answer, 0 = the usual one")
    fields: str = Field("", description="only these fields of each entry, such as pos,sym")

    usual_tokens: ClassVar[int] = 1 << 20
    """Of how many an answer is without max_tokens, where the configured budget is not less."""


class Lines(Request):
    """A request whose answer is a text."""

    offset: int = Field(0, ge=0, description="first line of the text to answer")
    max_tokens: int = Field(0, ge=0, description="budget of the answer, 0 = the usual one")


class Status(Paged):
    """Load state, counts and standing diagnostics of the workspace."""

    wait: bool = Field(False, description="wait until every build context has been checked")


class Help(Request):
    """The op and query catalog, or one op of it."""

    name: str = Field("", description="an op, query or tool; empty = the list")


class Search(Paged):
    """Find declarations by a fragment of their name."""

    usual_tokens = LIST_TOKENS

    q: str = Field("", description="fragment of a name, case-insensitive")


class Inspect(Addressed, Paged):
    """Kind, type, fields, methods and doc of one object."""


class View(Addressed, Lines):
    """A declaration's text with statement handles."""

    slots: bool = Field(False, description="also show expression slots")


class Refs(Addressed, Paged):
    """Every reference to one object."""

    role: str = Field("", description="only these roles, such as write or call,go,defer")
    by_package: bool = Field(False, description="a count for each package instead of the places")


class Callers(Addressed, Paged):
    """Who calls one function."""


class Callees(Addressed, Paged):
    """What one function calls."""


class Implementations(Addressed, Paged):
    """The types of an interface, or the interfaces of a type."""


class CallGraph(Addressed, Paged):
    """The calls around one function, several steps deep."""

    usual_tokens = LIST_TOKENS

    depth: int = Field(2, ge=0, description="steps away from the function, 0 = all")
    direction: Literal["", "up", "down"] = Field("", description="up: callers, down: callees")


class TestsFor(Addressed, Paged):
    """The tests that reach one declaration."""

    usual_tokens = LIST_TOKENS


class Effects(Addressed, Paged):
    """What one function may do beside computing, and by which calls."""

    usual_tokens = LIST_TOKENS

    effect: str = Field("", description="only these: files network exec panic go unknown")


class Unused(Paged):
    """Declarations that nothing alive refers to."""

    pkg: str = Field("", description="only those of this package, empty = all")


class Impact(Addressed, Paged):
    """What an edit of one declaration can break."""

    usual_tokens = LIST_TOKENS

    by_package: bool = Field(False, description="a count for each package that it reaches")


class Outline(Addressed, Paged):
    """What a file or a package declares."""

    usual_tokens = LIST_TOKENS

    exported: bool = Field(False, description="only what other packages can name")
    docs: bool = Field(True, description="the first sentence of each doc comment too")


class Source(Addressed, Lines):
    """A declaration with what stands around it."""


class Diagnostics(Paged):
    """The standing errors of the workspace."""

    pkg: str = Field("", description="only those of this package, empty = all")


class Text(Paged):
    """Lines of the workspace's files that hold a text."""

    usual_tokens = LIST_TOKENS

    q: str = Field("", description="the text, letter by letter")
    regex: bool = Field(False, description="q is a regular expression (RE2, as Go's)")
    files: str = Field("", description="only files that match, such as pkg/*.go")


class Diff(Paged):
    """What changed since an edit or a commit, by declaration."""

    since: str = Field("", description="number of an edit, or a revision of git; empty = HEAD")
    pkg: str = Field("", description="only those of this package, empty = all")


class DeclHistory(Addressed, Paged):
    """The last commits that touched a declaration."""


class Doc(Addressed, Lines):
    """The doc comment of one declaration or package."""


class Imports(Paged):
    """What a package imports, or who imports it."""

    usual_tokens = LIST_TOKENS

    pkg: str = Field("", description="package: import path, unique suffix of one, or folder")
    sym: str = Field("", description="the package, where it is given as an address")


class Writes(Addressed, Paged):
    """Who assigns a field or variable."""


class Meaning(Addressed):
    """What the name at a position means."""


class Query(Addressed, Paged):
    """A typed question by kind."""

    kind: str = Field("", description="search, inspect, refs, view, …")
    q: str = Field("", description="for search: a fragment of a name; for text: the text")
    slots: bool = Field(False, description="for kind view: also show expression slots")
    docs: bool = Field(True, description="for kind outline: first sentences of doc comments too")
    wait: bool = Field(False, description="for kind status: until every context is checked")
    role: str = Field("", description="for kind refs: only these roles")
    by_package: bool = Field(False, description="for refs, impact: a count for each package")
    since: str = Field("", description="for kind diff: an edit number or a revision, empty = HEAD")
    effect: str = Field("", description="for kind effects: only these, such as files,network")
    depth: int = Field(2, ge=0, description="for kind callgraph: steps, 0 = all")
    direction: Literal["", "up", "down"] = Field("", description="for kind callgraph: up or down")
    exported: bool = Field(False, description="for kind outline: only exported names")
    regex: bool = Field(False, description="for kind text: q is a regular expression")
    files: str = Field("", description="for kind text: only files that match, such as pkg/*.go")


KEY = "an edit sent again under the same key is answered, not made, again"


class Mutation(Request):
    """What every mutation may carry."""

    dry_run: bool = Field(False, description="judge and show the diff, write nothing")
    generation: int = Field(
        0, ge=0, description="generation that the edit was planned on, 0 = unchecked"
    )
    show_files: bool = Field(
        False, description="with dry_run: also the whole text of each file as it would be"
    )
    allow_rebind: bool = Field(
        False, description="accept that identifiers come to mean something else"
    )
    allow_generated: bool = Field(False, description="edit a generated file")
    prefer_imports: list[str] = Field(
        default_factory=list, description="paths that decide where several packages fit a name"
    )
    gate: Literal["", "resident", "toolchain"] = Field("", description="which checker judges")
    overlay: dict[str, str] = Field(
        default_factory=dict,
        description="unsaved text by path: the base of the edit instead of the disk",
    )
    idempotency_key: str = Field("", description=KEY)


class Patch(Mutation):
    """Several ops as one edit: all or none."""

    pkg: str = Field("", description="default package of the ops")
    sym: str = Field("", description="default declaration of the ops")
    ops: list[dict[str, Json]] = Field(default_factory=list, description="ops in order")


class Test(Request):
    """Run tests and answer per test."""

    pkg: str = Field("", description="package, empty = all")
    run: str = Field("", description="regular expression of test names")
    affected: bool = Field(
        False,
        description="only tests that reach what changed since `since`; an embedded file counts for "
        "its package and its variable, one below testdata/ for the package beside it",
    )
    since: str = Field(
        "",
        description="with affected: a revision, empty = HEAD; or an edit number, which tells of "
        "files that ago edits alone",
    )
    timeout_s: int = Field(600, ge=1, description="time limit in seconds")
    max_tokens: int = Field(0, ge=0, description="budget of the answer, 0 = the usual one")


class Log(Paged):
    """The accepted edits, newest first."""


class Show(Request):
    """One accepted edit with its diff."""

    edit: int = Field(description="number of the edit")


class Undo(Request):
    """Take one accepted edit back, through the gate."""

    edit: int = Field(0, ge=0, description="number of the edit, 0 = the last one not undone")
    dry_run: bool = Field(False, description="judge and show the diff, write nothing")
    idempotency_key: str = Field("", description=KEY)


READS: dict[str, type[Request]] = {
    "status": Status, "help": Help, "search": Search, "inspect": Inspect, "view": View,
    "refs": Refs, "query": Query, "log": Log, "show": Show,
}  # fmt: skip
WRITES: dict[str, type[Request]] = {"patch": Patch, "undo": Undo}
RUNS: dict[str, type[Request]] = {"test": Test}
