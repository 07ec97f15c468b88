"""Draft: every op of a patch planned on the current text and applied in memory, in order.

Invariant: an op sees what the ops before it did; a refusal names its op; nothing but the workbench
changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ago.patch.decode import Decoded
from ago.patch.imports import ensure_import
from ago.patch.missing import Witness
from ago.patch.modules import ModuleCommands
from ago.patch.provisional import Provisional
from ago.patch.scope import DraftScope
from ago.patch.workbench import Place, Workbench
from ago.stages import Draft, DraftFile
from ago.workspace.positions import is_place
from grammar_ops.edit import Span
from grammar_ops.op import DeclOp, Op, Plan, ProjectOp, StatementOp, StillUsed, Together
from grammar_ops.reject import Finding, Reject, register

register(
    "patch",
    {"generated_file": "the target is a generated file; allow_generated edits it all the same"},
)

Note = int | str | list[str]


@dataclass
class Gathered:
    """What the plans of a patch said beside their edits."""

    touches: dict[tuple[str, str], None] = field(default_factory=dict)
    gone: dict[tuple[str, str], None] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    resolved: dict[str, None] = field(default_factory=dict)
    warnings: list[Finding] = field(default_factory=list)
    unproven: list[str] = field(default_factory=list)
    retypes: bool = False
    seen: list[Place] = field(default_factory=list)
    given: dict[str, None] = field(default_factory=dict)
    reshaped: set[tuple[str, str]] = field(default_factory=set)
    """What the base called the declarations that were reshaped, however they are called since."""

    def add(self, plan: Plan) -> None:
        """Take in one plan: later ones win where they speak of the same declaration."""
        self.retypes |= plan.retypes
        self.given.update(dict.fromkeys(plan.given))
        for renamed in plan.renames:
            self.touches.pop((renamed.pkg, renamed.sym), None)
        for address in plan.gone:
            self.touches.pop(address, None)
            self.gone[address] = None
        for address in plan.touches:
            self.gone.pop(address, None)
            self.touches[address] = None
        self.warnings += plan.warnings
        self.unproven += plan.unproven
        for key, value in plan.notes.items():
            self.notes[key] = _merge_note(self.notes.get(key), value)


def draft_ops(
    decoded: Decoded,
    scope: DraftScope,
    bench: Workbench,
    modules: ModuleCommands,
    witness: Witness,
    provisional: Provisional,
    *,
    allow_generated: bool,
) -> Gathered:
    """Plan and apply all ops on the workbench; what they said is returned."""
    gathered, pending = Gathered(), list[_Demand]()
    if any(isinstance(op, StatementOp) for op in decoded.ops):
        _number_all(decoded, scope)
    for number, op in enumerate(decoded.ops, 1):
        try:
            scope.twins.begin(every=op.every_twin)
            witness.unknown.clear()
            addressed, resolved = _address(op, decoded, scope)
            plan = addressed.plan(scope)
            if not allow_generated:
                _refuse_generated(addressed, plan, scope)
            _note_uncovered(addressed, plan, scope)
            pending += _list_demands(plan, number, scope, bench)
            gathered.reshaped.update(scope.naming.was(*address) for address in plan.touches)
            _apply(plan, number, scope, bench)
            provisional.confirm(plan.imports)
            for step in plan.go_steps:
                modules.run(step, number)
            if number < len(decoded.ops):
                provisional.complete(plan.edits)
        except Reject as reject:
            reject.op = reject.op or number
            raise witness.explain(reject) from None
        gathered.add(plan)
        gathered.seen += [bench.mark(seen.path, seen.span) for seen in plan.seen]
        if resolved:
            gathered.resolved[resolved] = None
    provisional.withdraw()
    _refuse_unmet(pending, gathered, scope, bench)
    return gathered


def _number_all(decoded: Decoded, scope: DraftScope) -> None:
    """Number the functions that the ops speak of, as the caller has viewed them."""
    seen = set[tuple[str, str]]()
    for op in decoded.ops:
        where = getattr(op, "pkg", ""), getattr(op, "sym", "")
        if where in seen:
            continue
        seen.add(where)
        with contextlib.suppress(Reject):  # what an earlier op is to make or to name comes later
            scope.twins.begin(every=op.every_twin)
            addressed, _ = _address(op, decoded, scope)
            if isinstance(addressed, DeclOp | StatementOp) and not is_place(addressed.sym):
                scope.number(addressed.pkg, addressed.sym)


class _Demand(NamedTuple):
    """What op `number` needs of the others, and the uses that it leaves of what it deletes."""

    number: int
    wish: Together | StillUsed
    uses: tuple[Place, ...] = ()


def _list_demands(plan: Plan, number: int, scope: DraftScope, bench: Workbench) -> list[_Demand]:
    """The demands of a plan that is yet to be applied, of methods by the names of the base."""
    demands = list[_Demand]()
    if wish := plan.together:
        members = tuple(scope.naming.was(*member) for member in wish.members)
        demands.append(_Demand(number, wish._replace(members=members)))
    for used in plan.still_used:
        places = tuple(bench.mark(use.path, use.span) for use in used.uses)
        demands.append(_Demand(number, used, places))
    return demands


def _refuse_unmet(
    pending: Sequence[_Demand], gathered: Gathered, scope: DraftScope, bench: Workbench
) -> None:
    """Refuse an op when what it needs of other ops has not come to the end of the patch."""
    renamed = {(pkg, old) for pkg, old, _ in scope.naming.renames}
    for number, wish, uses in pending:
        if isinstance(wish, Together):
            changed = gathered.reshaped if wish.reshaped else renamed
            met = changed.issuperset(wish.members)
        else:
            rewritten = bool(uses) and not any(map(bench.where, uses))
            met = rewritten or (bool(wish.sym) and scope.declares(wish.pkg, wish.sym))
        if not met:
            wish.reject.op = number
            raise wish.reject


def seal(ops: Sequence[Op], gathered: Gathered, scope: DraftScope, bench: Workbench) -> Draft:
    """The state of the workbench as a draft."""
    files = bench.files()
    return Draft(
        files=files,
        touches=tuple(gathered.touches),
        gone=tuple(gathered.gone),
        renames=tuple(scope.naming.renames),
        keeps_meaning=all(op.keeps_meaning for op in ops) and not gathered.retypes,
        spans={path: touched_spans(bench, f) for path, f in files.items() if f.text is not None},
        op_of={path: tuple(bench.written(path)) for path in files},
        notes=gathered.notes,
        unproven=(*scope.unproven, *gathered.unproven),
        warnings=tuple(gathered.warnings),
        retypes=gathered.retypes,
        moves=tuple(scope.naming.moves),
        moved=bench.moved(),
        seen=_seen_spans(gathered, bench),
        given=tuple(gathered.given),
    )


def _seen_spans(gathered: Gathered, bench: Workbench) -> dict[str, tuple[tuple[int, int], ...]]:
    """Per file what the caller wrote out, where it stands now."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for place in gathered.seen:
        if (here := bench.stands(place)) is not None:
            path, span = here
            spans.setdefault(path, []).append((span.start, span.end))
    return {path: tuple(sorted(found)) for path, found in spans.items()}


def touched_spans(bench: Workbench, file: DraftFile) -> tuple[tuple[int, int], ...]:
    """The ranges of the current text that the patch wrote, and the places where it cut."""
    arrived = set(bench.arrived(file.path))  # moved text keeps its form
    places = [(start, end) for start, end, _ in bench.written(file.path)]
    places = [place for place in places if place not in arrived]
    places += [(at, at) for at in bench.cuts(file.path)]
    at = 0
    for base, start, length in file.pieces:
        if base > at:
            # Bytes were cut here, perhaps without anything in their place.
            places.append((start, start))
        at = base + length
    return tuple(sorted(set(places)))


def _address(op: Op, defaults: Decoded, scope: DraftScope) -> tuple[Op, str | None]:
    """The op with its address in canonical form, and what to tell of it."""
    if isinstance(op, ProjectOp) and "pkg" in type(op).model_fields:
        return op.model_copy(update={"pkg": getattr(op, "pkg", "") or defaults.pkg}), None
    if not isinstance(op, DeclOp | StatementOp):
        return op, None
    takes_sym = isinstance(op, StatementOp) or op.takes_sym
    if isinstance(op, DeclOp) and op.takes_place and is_place(op.sym or defaults.place):
        at = {"pkg": op.pkg or defaults.pkg, "sym": op.sym or defaults.place}
        return op.model_copy(update=at), None
    pkg, sym = op.pkg or defaults.pkg, op.sym or (defaults.sym if takes_sym else "")
    if not sym and not pkg and (file := str(getattr(op, "file", ""))):
        pkg = f"./{file.rpartition('/')[0]}"
    if not sym and not pkg:
        pkg = _only_package(scope, takes_sym)
    if not sym:
        # An op whose text declares something may found the package that it names.
        found = scope.resolve_package(pkg, must_exist=takes_sym)
        named = {"syms": [scope.name_now(found, each) for each in getattr(op, "syms", ())]}
        return op.model_copy(update={"pkg": found, **(named if named["syms"] else {})}), None
    found_pkg, found_sym, resolved = scope.resolve_address(pkg, sym)
    return op.model_copy(update={"pkg": found_pkg, "sym": found_sym}), resolved


def _only_package(scope: DraftScope, takes_sym: bool) -> str:
    """The package of an op that names none: that of a workspace which has one."""
    with contextlib.suppress(Reject):
        if not takes_sym:
            return scope.resolve_package("", must_exist=True)
    raise Reject("address_required", "neither the op nor its patch says of what it speaks")


def _refuse_generated(op: Op, plan: Plan, scope: DraftScope) -> None:
    """Refuse an op whose own target is generated; references in such files may follow."""
    sym = op.sym if isinstance(op, DeclOp | StatementOp) else ""
    syms = [sym] if sym else getattr(op, "syms", [])
    targets = [edit.path for edit in plan.edits]
    if is_place(sym) and isinstance(op, DeclOp) and op.takes_place:
        if plan.gone:
            targets = [scope.resolve_decl(*address).path for address in plan.gone]
    elif syms and isinstance(op, DeclOp | StatementOp):
        homes = {scope.resolve_decl(op.pkg, each).path for each in syms}
        # What is added elsewhere for a declaration (its test) leaves it alone.
        targets = [path for path in targets if path in homes] or targets
    # Text that goes to another file is meant to stand there.
    arrivals = [(taken.path, plan.edits[taken.edit].path) for taken in plan.carried]
    targets += [path for source, path in arrivals if path != source]
    for path in targets:
        if scope.is_generated(path):
            raise Reject("generated_file", path, facts={"allow": "allow_generated"})


def _note_uncovered(op: Op, plan: Plan, scope: DraftScope) -> None:
    """Say which files outside the build mention a declaration whose head the op changes."""
    if plan.renames:
        return  # references have been asked for, and what could not be followed was noted
    if isinstance(op, DeclOp | StatementOp) and op.sym and plan.touches:
        decl = scope.resolve_decl(op.pkg, op.sym)
        inside = decl.body_span or decl.span
        head = Span(decl.span.start, inside.start if decl.body_span else inside.end)
        if not any(edit.path == decl.path and edit.span.overlaps(head) for edit in plan.edits):
            return
    seen = plan.touches if plan.heads is None else plan.heads
    for pkg, sym in (*seen, *plan.gone):
        scope.note_uncovered(pkg, sym, {edit.path for edit in plan.edits})


def _apply(plan: Plan, number: int, scope: DraftScope, bench: Workbench) -> None:
    scope.naming.learn(plan, number)
    spans = bench.apply(plan.edits, number, plan.carried)
    if plan.bind is not None:
        edit = spans[plan.bind.edit]
        start, end = plan.bind.span
        span = Span(edit.start + start, edit.start + end)
        scope.handles.bind(number, plan.edits[plan.bind.edit].path, span)
    for wish in plan.imports:
        ensure_import(bench, wish, number)


def _merge_note(old: Note | None, new: Note) -> Note:
    if isinstance(old, int) and isinstance(new, int):
        return old + new
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    return new
