"""The gate: judge a candidate with one checker, subtract the baseline, run the proofs, approve.

Invariant: the only place that constructs Approved, and only from an accepted verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ago.checker.checker import Change, Checker, CheckResult, Diagnostic, Pieces, UnitVerdict
from ago.checker.toolchain import WHOLE
from ago.facts.read import AskedMethod
from ago.gate.asking import ask
from ago.gate.baseline import subtract
from ago.gate.further import Build, Word, judge_beside
from ago.gate.proofs.resolution import Policy, drop_respelt, judge_changes
from ago.gate.proofs.run_time import keep_asked
from ago.gate.proofs.trivia import prove_trivia
from ago.gate.views import ViewChecker, judge_views
from ago.stages import Approved, Candidate, DraftFile, Proof, Verdict
from grammar_ops.reject import Finding, Reject, register

register(
    "gate",
    {
        "patch_does_not_typecheck": "the edited code does not compile; diagnostics say where",
        "meaning_changed": "code that the edit did not write would come to mean something else",
        "reference_captured": "after the rename something would mean another declaration",
        "vet_finding": "go vet has a new finding (strict_vet)",
    },
)


@dataclass(frozen=True)
class Rules:
    """What the request and the configuration ask of the gate."""

    gate: Literal["resident", "toolchain"] = "resident"
    allow_rebind: bool = False
    strict: bool = False
    strict_vet: bool = False
    context: str = ""
    asked: Callable[[], Sequence[AskedMethod]] = tuple
    """The methods that type assertions of the workspace ask for."""


def judge(
    candidate: Candidate,
    resident: Checker | None,
    toolchain: Checker,
    rules: Rules,
    views: Sequence[ViewChecker] = (),
    builds_of: Callable[[CheckResult], Sequence[Build]] = lambda own: (),
) -> Verdict:
    """Both the checkers' and the proofs' word on a candidate; nothing is decided by anyone else.

    `views` are the modules with builds of their own that the edit concerns; `builds_of` tells the
    further contexts that it does by the own build's word on it.
    """
    prove_trivia(candidate)
    checker, result = _check(candidate, resident, toolchain, rules)
    reference = checker is toolchain
    result = judge_views(result, views, lambda view: ask(view, candidate), reference=reference)
    written = written_spans(candidate)
    edited = {path: _with_end(file) for path, file in candidate.files.items()}
    word = Word.of(result, subtract(result.units, edited, written, candidate.carried))
    # What is refused already need not wait for further contexts.
    builds = () if word.own.new else builds_of(result)
    judge_beside(word, candidate, result, builds, edited, written, reference=reference)
    told = _told(word.changes, candidate, rules)
    changes = judge_changes(told, _policy(candidate, rules), partial(is_seen, candidate))
    strict = result.warnings if rules.strict_vet else ()
    proof = Proof(
        checker.name,
        tuple(filter(None, (rules.context, *word.contexts))),
        len(word.packages),
        _count(candidate.draft.notes.get("references")),
        tuple(dict.fromkeys((*candidate.draft.unproven, *result.unproven, *word.unproven))),
        # What the toolchain has judged already needs no confirmation.
        "confirmed" if checker.name == "toolchain" else "pending",
    )
    return Verdict(
        candidate=candidate,
        # With unsaved text in it the checker's candidate is not what will be on the disk.
        token="" if candidate.buffers else result.candidate,
        new=(*word.new, *strict),
        revealed=word.revealed,
        warnings=() if rules.strict_vet else result.warnings,
        pre_existing=word.pre_existing,
        stood=word.stood,
        refused=changes.refused,
        # Imports that come and go with an edit are told by name, as what they are.
        rebinds=tuple(change for change in changes.reported if change.kind != "import"),
        proof=proof,
        contexts=tuple(build.context for build in builds),
    )


def _told(changes: Sequence[Change], candidate: Candidate, rules: Rules) -> list[Change]:
    asked = keep_asked(changes, rules.asked, candidate.files)
    return drop_respelt(asked, candidate.draft.renames)


def approve(verdict: Verdict) -> Approved:
    """Sign an accepted verdict; Reject with the diagnostics or the changed meanings otherwise."""
    if verdict.accepted:
        return Approved(verdict)
    if verdict.new:
        only_vet = all(diagnostic.source == "vet" for diagnostic in verdict.new)
        raise _refuse_diagnostics(
            "vet_finding" if only_vet else "patch_does_not_typecheck", verdict
        )
    raise _refuse_changes(verdict)


def written_spans(candidate: Candidate) -> Mapping[str, tuple[tuple[int, int], ...]]:
    """Per edited file the ranges of the candidate that are not base text."""
    out = {}
    for path, file in candidate.files.items():
        if file.text is not None:
            out[path] = _gaps(file.pieces, len(file.text))
    return out


def _with_end(file: DraftFile) -> Pieces:
    """The pieces and the end of the file, where parsers complain of what is missing."""
    return (*file.pieces, (len(file.base or b""), len(file.text or b""), 1))


def _gaps(pieces: Pieces, size: int) -> tuple[tuple[int, int], ...]:
    gaps, at = [], 0
    for _, start, length in sorted(pieces, key=lambda piece: piece[1]):
        if start > at:
            gaps.append((at, start))
        at = start + length
    if at < size:
        gaps.append((at, size))
    return tuple(gaps)


def _check(
    candidate: Candidate, resident: Checker | None, toolchain: Checker, rules: Rules
) -> tuple[Checker, CheckResult]:
    """The resident checker's word where it can speak, else the toolchain's; both when asked for.

    With `gate = toolchain` the resident one still proves meanings, which the go command can't.
    """
    if resident is None:
        result = ask(toolchain, candidate)
        unjudged = "meaning of untouched code: no resident checker"
        return toolchain, replace(result, unproven=(*result.unproven, unjudged))
    result = ask(resident, candidate)
    if result.judged and rules.gate == "resident":
        return resident, result
    reference = ask(toolchain, candidate)
    unproven = (*reference.unproven, *result.unproven)
    if not result.judged:
        unproven += tuple(f"meaning in {what}" for what in result.tainted)
    return toolchain, replace(
        reference,
        units=_joined(reference, result),
        candidate=result.candidate,
        changes=result.changes,
        apis=result.apis,
        reaches=result.reaches,
        elsewhere=result.elsewhere,
        left=result.left,
        unproven=unproven,
    )


def _joined(reference: CheckResult, resident: CheckResult) -> tuple[UnitVerdict, ...]:
    """The units of the go command, and the resident checker's where that compiles nothing: it stops
    at an import that does not resolve."""
    blind = reference.blind if resident.judged else frozenset()
    if WHOLE in blind:
        return resident.units
    seen = tuple(unit for unit in reference.units if unit.key.pkg not in blind)
    return (*seen, *(unit for unit in resident.units if unit.key.pkg in blind))


def _policy(candidate: Candidate, rules: Rules) -> Policy:
    draft = candidate.draft
    touches = frozenset(f"{pkg}.{sym}" for pkg, sym in draft.touches)
    return Policy(draft.keeps_meaning, rules.allow_rebind, rules.strict, touches, draft.retypes)


def _count(note: int | str | list[str] | None) -> int:
    return note if isinstance(note, int) else 0


def _refuse_diagnostics(reason: str, verdict: Verdict) -> Reject:
    findings = tuple(_finding(verdict.candidate, d) for d in order(verdict.new))
    return Reject(reason, f"{len(findings)} new {_plural(findings)}", diagnostics=findings)


def _finding(candidate: Candidate, found: Diagnostic) -> Finding:
    # The go command has no codes: its messages stand for them.
    code = "" if found.source == "toolchain" else found.code
    op = op_at(candidate, found.file, found.offset)
    return Finding(found.file, found.line, found.col, found.msg, code, op, found.context)


def _refuse_changes(verdict: Verdict) -> Reject:
    findings = tuple(change_finding(change) for change in verdict.refused)
    names = sorted({change.name for change in verdict.refused if change.name})
    what = ", ".join(names[:5]) or "control flow"
    reason = "reference_captured" if verdict.candidate.draft.renames else "meaning_changed"
    return Reject(reason, what, diagnostics=findings, facts={"rebind": True})


_SAID = {
    "boxed": "a nil value here was {old}, now {new}",
    "comparable_lost": "{name} can't be compared any more: == of interfaces holding it panics",
    "loop": "{name} of the loop was {old}, now {new}",
    "method_gained": "the type gains {new}, which code asks for at run time",
    "method_lost": "the type loses {old}, which code asks for at run time",
    "method_narrowed": "only a pointer to the type has {new} now, which code asks for at run time",
    "satisfaction_lost": "{old} satisfies {new} no more, which code asks for at run time",
    "method_widened": "the type itself has {new} now, which code asks for at run time",
}


def change_finding(change: Change) -> Finding:
    """A changed meaning as a position with a sentence."""
    said = _SAID.get(change.kind, "{name} meant {old}, now {new}").format(
        name=change.name or change.kind, old=change.old, new=change.new
    )
    code = f"rebind_{change.kind}"
    return Finding(change.file, change.line, change.col, said, code, context=change.context)


def order(diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    """Diagnostics by file and position."""
    return sorted(diagnostics, key=lambda d: (d.file, d.line, d.col, d.msg))


def is_seen(candidate: Candidate, change: Change) -> bool:
    """Whether the caller wrote out the line in which an identifier means something else now."""
    spans = candidate.draft.seen.get(change.file, ())
    if not spans or change.context:
        return False
    at = _drafted(candidate, change.file, change.offset)
    return any(start <= at < end for start, end in spans)


def op_at(candidate: Candidate, path: str, offset: int) -> int | None:
    """Number of the op that wrote the text at an offset of the candidate, None when none did."""
    ops = candidate.draft.op_of.get(path, ())
    numbers = {op for _, _, op in ops if op}
    if len(numbers) == 1:
        return numbers.pop()
    drafted = _drafted(candidate, path, offset)
    return next((op for start, end, op in ops if start <= drafted <= end and op), None)


def _drafted(candidate: Candidate, path: str, offset: int) -> int:
    """Where an offset of the candidate stood before formatting."""
    drafted = offset
    for old, new, length in candidate.moves.get(path, ()):
        if new <= offset:
            drafted = min(old + offset - new, old + length)
    return drafted


def _plural(findings: tuple[Finding, ...]) -> str:
    return "diagnostic" if len(findings) == 1 else "diagnostics"
