"""Propose: texts that somebody else is about to write, judged as they are, and never written.

Invariant: nothing is formatted, repaired or committed; only what the resident checker can say at
once is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ago.checker.checker import Checker, CheckRequest, CheckResult, Diagnostic
from ago.gate.gate import Rules, judge, order
from ago.patch.judging import ContextBuild, builds_of, checkers_of, views_of
from ago.patch.mends.barred import is_qualifier
from ago.protocol.errors import AgoError
from ago.stages import Candidate, Draft, DraftFile
from ago.workspace.snapshot import Snapshot
from grammar_ops.ledger import Pieces
from grammar_ops.linediff import common_lines, diff_pieces
from grammar_ops.syntax.decls import list_decls
from grammar_ops.syntax.parse import parse

if TYPE_CHECKING:
    from ago.patch.engine import Engine


_COMPARED = 400
"""Lines that are compared one by one."""


@dataclass(frozen=True)
class Proposed:
    """What the texts would bring."""

    broken: tuple[Diagnostic, ...] = ()
    """Where a file would be no Go any more."""
    inside: tuple[Diagnostic, ...] = ()
    """New errors in declarations that the texts change or add."""
    elsewhere: tuple[Diagnostic, ...] = ()
    """New errors in all other code."""
    fewer: bool = False
    """There would be fewer errors than there are."""
    unimported: bool = False
    """A declaration uses a package that its file does not import."""


def propose(engine: Engine, texts: Mapping[str, bytes | None], *, whole: bool = False) -> Proposed:
    """Judge whole texts of files by workspace-relative path, None for a file that goes; AgoError
    where nobody can judge them at once. Other systems and tags are asked of files that this build
    leaves out, of all files when `whole`."""
    with engine.writing, engine.confirmer.paused():
        return engine.workspace.reading(
            lambda snapshot: _propose(engine, texts, snapshot, whole=whole)
        )


@dataclass(frozen=True)
class _Errors:
    """The resident checker asked for errors alone: what names come to mean is the agent's word."""

    resident: Checker
    name: Literal["resident", "toolchain"] = "resident"

    def check(self, request: CheckRequest) -> CheckResult:
        """Its answer without proofs."""
        return self.resident.check(replace(request, proofs=False))


class _Nobody:
    """In the place of the go command, which takes longer than an agent may be kept waiting."""

    name: Literal["resident", "toolchain"] = "toolchain"

    def check(self, request: CheckRequest) -> CheckResult:
        """Never an answer."""
        raise AgoError("not_judged", "only the go command can judge the edit", "use `ago apply`")


def _propose(
    engine: Engine, texts: Mapping[str, bytes | None], snapshot: Snapshot, *, whole: bool
) -> Proposed:
    files = {path: _file_of(path, snapshot.find(path), text) for path, text in texts.items()}
    files = {path: file for path, file in files.items() if file.text != file.base}
    if not files:
        return Proposed()
    draft = Draft(
        files=files, touches=(), gone=(), renames=(), keeps_meaning=False, spans={}, op_of={}
    )
    candidate = Candidate(draft, files)
    checkers = checkers_of(engine.workspace, snapshot)
    if checkers.resident is None:
        raise AgoError("checker_unavailable", "there is no type checker", "see `ago doctor`")

    def builds(own: CheckResult) -> Sequence[ContextBuild]:
        if not own.left and not whole:
            return ()
        return builds_of(engine.workspace, snapshot, candidate, own)

    rules = Rules(allow_rebind=True, context=snapshot.context)
    views = views_of(engine.workspace, snapshot.graph, files)
    verdict = judge(candidate, _Errors(checkers.resident), _Nobody(), rules, views, builds)
    new = order(verdict.new)
    edited = {path: _edited(files[path]) for path in {d.file for d in new} & {*files}}
    inside = [d for d in new if any(a <= d.offset < b for a, b in edited.get(d.file, ()))]
    now = len(verdict.new) + len(verdict.revealed) + verdict.pre_existing
    return Proposed(
        broken=tuple(d for d in new if d.source == "syntax" and d.file in files),
        inside=tuple(inside),
        elsewhere=tuple(d for d in new if d not in inside),
        fewer=now < verdict.stood,
        unimported=any(is_qualifier(d, files[d.file].text or b"") for d in inside),
    )


def _file_of(path: str, base: bytes | None, text: bytes | None) -> DraftFile:
    known = base is not None and text is not None
    return DraftFile(path, base, text, surviving(base or b"", text or b"") if known else ())


def surviving(old: bytes, new: bytes) -> Pieces:
    """The lines of one text that stand in another; what lies between the first and the last line
    that differ is compared when it is short."""
    head, tail = common_lines(old, new)
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    short = max(len(gone.splitlines()), len(come.splitlines())) <= _COMPARED
    inner = diff_pieces(gone, come) if short and gone and come else ()
    between = ((head + a, head + b, size) for a, b, size in inner)
    pieces = ((0, 0, head), *between, (len(old) - tail, len(new) - tail, tail))
    return tuple(piece for piece in pieces if piece[2])


def _edited(file: DraftFile) -> list[tuple[int, int]]:
    """The ranges of the declarations in which text is new or gone."""
    if file.text is None:
        return []
    spans = [decl.full_span for decl in list_decls(parse(file.text), file.text)]
    out: set[tuple[int, int]] = set()
    at = 0
    for _, start, size in (*file.pieces, (0, len(file.text), 0)):
        if start > at:
            out.update((a, b) for a, b in spans if a < start and at < b)
        else:  # text went here, or nothing did at the ends of the file
            out.update((a, b) for a, b in spans if a < at < b)
        at = start + size
    return sorted(out)
