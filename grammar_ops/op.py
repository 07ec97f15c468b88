"""Op: the base of every operation, its families, and Plan, what planning yields.

Invariant: `plan` is pure; a plan is a frozen value; no op writes to anything it is given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Finding, Reject
from grammar_ops.scope import Scope, Target
from grammar_ops.syntax.layout import place_stmt


class Ceiling(NamedTuple):
    """A stated limit of an op: its reason key and the sentence that help shows."""

    id: str
    sentence: str


class Bind(NamedTuple):
    """What `$N` names after the op: a range of the text that one edit of the plan puts in."""

    edit: int
    span: Span
    """Relative to the start of that edit's text, once all edits of the plan are applied; it may
    reach beyond that text on both sides."""


class Renamed(NamedTuple):
    """One entry of the simultaneous old -> new map that the proofs expect."""

    pkg: str
    sym: str
    to: str


class Together(NamedTuple):
    """Declarations that the patch has to change as well, and the refusal when it does not."""

    members: tuple[tuple[str, str], ...]
    """(pkg, sym), by the names that they have when the op is planned."""
    reject: Reject
    reshaped: bool = False
    """It is their signature that has to follow: any op that touches them will do."""


class Seen(NamedTuple):
    """A range of a file."""

    path: str
    span: Span


class StillUsed(NamedTuple):
    """A deleted declaration with uses left, and the refusal when the patch neither declares it
    again nor rewrites each of them; what has no address, a parameter, can't be declared again."""

    pkg: str
    sym: str
    reject: Reject
    uses: tuple[Seen, ...]


class Moved(NamedTuple):
    """A package-level declaration that goes to another package, by its name before the plan; "" is
    what importers call the package."""

    pkg: str
    sym: str
    to_pkg: str


class Carried(NamedTuple):
    """Text that a plan takes along: `span` of `path`, as it is before the plan, stands at `at` of
    the text of one of its edits."""

    edit: int
    at: int
    path: str
    span: Span


class ImportWish(NamedTuple):
    """An import that a file of the draft should have; `name` "" means no alias."""

    path: str
    import_path: str
    name: str = ""


class GoStep(NamedTuple):
    """A go command that rewrites the go.mod and go.sum of one module, in a shadow of the two."""

    dir: str
    """Folder of the module."""
    command: tuple[str, ...]
    """`get` or `mod tidy`, as words."""
    arg: str = ""
    """`module@version` of a `get`, where `none` drops the module."""


Notes = dict[str, int | str | list[str]]


@dataclass(frozen=True)
class Plan:
    """The pure result of planning one op on the current draft."""

    edits: tuple[Edit, ...] = ()
    bind: Bind | None = None
    touches: tuple[tuple[str, str], ...] = ()
    """(pkg, sym) of declarations reshaped, by their new address."""
    gone: tuple[tuple[str, str], ...] = ()
    """(pkg, sym) of declarations that no longer exist afterwards."""
    renames: tuple[Renamed, ...] = ()
    together: Together | None = None
    still_used: tuple[StillUsed, ...] = ()
    retypes: bool = False
    """The request changes types that other code depends on, so that meanings may follow."""
    moves: tuple[Moved, ...] = ()
    carried: tuple[Carried, ...] = ()
    seen: tuple[Seen, ...] = ()
    """Text as it is after the plan that the caller wrote out line by line: its meaning is their
    word, lines that it keeps included."""
    heads: tuple[tuple[str, str], ...] | None = None
    """The touched declarations that other code may see changed; None: all of them."""
    given: tuple[str, ...] = ()
    """Files whose very bytes the caller gave, so that the answer tells what became of them."""
    imports: tuple[ImportWish, ...] = ()
    go_steps: tuple[GoStep, ...] = ()
    warnings: tuple[Finding, ...] = ()
    """What the answer warns of, beside what go vet finds."""
    unproven: tuple[str, ...] = ()
    """What no proof can speak of, a sentence each."""
    notes: Notes = field(default_factory=dict)
    """Figures for the answer, such as references=46 or callers_updated=3."""


class Op(BaseModel):
    """One instruction of a patch."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    op: str
    ceilings: ClassVar[tuple[Ceiling, ...]] = ()
    reasons: ClassVar[dict[str, str]] = {}
    """Reason keys that only this op raises, with their sentences; ceilings come beside them."""
    example: ClassVar[list[dict[str, Any]]] = []
    not_hermetic: ClassVar[str] = ""
    keeps_meaning: ClassVar[bool] = False
    """Promises unchanged meaning: a rebinding refuses it outright (gate.md 7)."""
    every_twin: ClassVar[bool] = False
    """Where several systems or tags declare a name, all of its declarations are meant at once."""

    def plan(self, scope: Scope) -> Plan:
        """Plan on the current draft; raises Reject."""
        raise NotImplementedError

    @classmethod
    def ceiling(cls, key: str, detail: str = "", at: tuple[Finding, ...] = ()) -> Reject:
        """The refusal for a declared ceiling of this op."""
        if key not in {c.id for c in cls.ceilings}:
            raise ValueError(f"{cls.__name__} declares no ceiling {key}")
        return Reject(key, detail, diagnostics=at)


class DeclOp(Op):
    """An op on a declaration; pkg and sym default to the envelope's (filled in before planning)."""

    takes_sym: ClassVar[bool] = True
    """False where the op's own text says which declaration is meant, so that no default applies."""
    takes_place: ClassVar[bool] = False
    """A position in `sym` means the identifier there, not the declaration around it."""

    pkg: str = Field("", description="package: import path, unique suffix of one, or folder")
    sym: str = Field("", description="declaration: Name or Type.Member")
    generation: int | None = Field(None, description="generation the op was planned on")


class StatementOp(Op):
    """An op on statements of one function; pkg and sym default to the envelope's."""

    pkg: str = Field("", description="package of the function: import path, suffix or folder")
    sym: str = Field("", description="function: Name or Type.Method")
    generation: int | None = Field(None, description="generation of the view with the handles")

    def place(self, scope: Scope, at: str, where: str, *lines: str) -> Plan:
        """The plan that inserts one statement, given as lines, and binds it to `$N`."""
        target = scope.resolve_target(self.pkg, self.sym, at)
        src, written = scope.source(target.path), scope.written(target.path)
        edit, span = place_stmt(src, target, where, lines, written)
        return Plan((edit,), Bind(0, span), touches=((self.pkg, target.function.sym),))

    def rewrite(
        self,
        target: Target,
        *edits: Edit,
        bind: Bind | None = None,
        imports: tuple[ImportWish, ...] = (),
        carried: tuple[Carried, ...] = (),
    ) -> Plan:
        """The plan of edits inside the function of `target`."""
        touches = ((self.pkg, target.function.sym),)
        return Plan(edits, bind, touches, imports=imports, carried=carried)


class ProjectOp(Op):
    """An op on files or modules as such; it has no declaration for a target."""
