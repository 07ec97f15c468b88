"""Answers: an accepted edit, a dry run, or text edits for unsaved buffers, as closed models.

Invariant: an answer describes the bytes of the candidate; it asks nobody and decides nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ago.checker.checker import Diagnostic
from ago.gate.gate import change_finding, order
from ago.patch.decode import Decoded
from ago.patch.draft import Gathered
from ago.protocol.responses import (
    Accepted,
    DiagnosticModel,
    DryRun,
    ImportsModel,
    ProofModel,
    TextEdit,
    ViewModel,
    diagnostic_model,
)
from ago.stages import Candidate, DraftFile, Receipt, Verdict, name_after
from ago.workspace.snapshot import Snapshot
from grammar_ops.linediff import diff_stat, line_hunks, text_edits, unified_diff
from grammar_ops.reject import Finding
from grammar_ops.syntax.decls import find_decl
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.view import render_view

GenerationOf = Callable[[str, str, bytes], int]
"""(pkg, sym, bytes of the declaration) -> its generation."""

_BUDGET_CHARS = 12_000
"""About 3,000 tokens: what a diff or view may take of an answer."""


@dataclass(frozen=True)
class Asked:
    """What the answer says of the request itself."""

    symbol: str
    resolved: tuple[str, ...] = ()
    handles_moved: Mapping[str, str] = field(default_factory=dict)
    generated: tuple[str, ...] = ()
    """Generated files that the edit had to touch."""
    undo_of: int = 0

    @classmethod
    def of(
        cls, patch: Decoded, gathered: Gathered, candidate: Candidate, snapshot: Snapshot
    ) -> Asked:
        """What a patch asked for, in canonical form."""
        touched = tuple(gathered.touches)
        renames = candidate.draft.renames
        symbol = f"{patch.pkg}.{name_after(renames, patch.pkg, patch.sym)}" if patch.sym else ""
        if len(touched) == 1:
            symbol = ".".join(touched[0])
        generated = tuple(path for path in sorted(candidate.files) if snapshot.is_generated(path))
        resolved = tuple(filter(None, (patch.resolved, *gathered.resolved)))
        return cls(symbol, tuple(dict.fromkeys(resolved)), patch.handles_moved, generated)


def accepted(
    asked: Asked,
    verdict: Verdict,
    receipt: Receipt | None = None,
    confirmation: str = "off",
    generation_of: GenerationOf | None = None,
) -> Accepted:
    """The answer to an edit that is on the disk, or (without a receipt) belongs to the buffers."""
    view, omitted = _fresh_view(verdict, generation_of)
    return Accepted(
        **_common(asked, verdict, confirmation),
        edit=receipt.edit if receipt else 0,
        edits={} if receipt else _buffer_edits(verdict),
        deletes=[] if receipt else [p for p, f in verdict.candidate.files.items() if not f.text],
        view=view,
        views_omitted=omitted,
        generation=view.generation if view else 0,
        undo_of=asked.undo_of,
    )


def dry_run(asked: Asked, verdict: Verdict, *, show_files: bool = False) -> DryRun:
    """The answer to an edit that would be accepted: its diff, hashes of what it would write."""
    files = verdict.candidate.files
    diff = "".join(
        unified_diff(path, f.base, f.text, f.pieces) for path, f in sorted(files.items())
    )
    if len(diff) > _BUDGET_CHARS:
        shown = diff[:_BUDGET_CHARS].rsplit("\n", 1)[0]
        rest = diff[len(shown) :].count("\n")
        diff = f"{shown}\n… {rest} more lines\n"
    return DryRun(
        **_common(asked, verdict, "off"),
        diff=diff,
        hashes={path: _hash(file) for path, file in sorted(files.items())},
        texts={path: _text(file) for path, file in sorted(files.items()) if show_files},
    )


def _common(asked: Asked, verdict: Verdict, confirmation: str) -> dict[str, Any]:
    candidate, proof = verdict.candidate, verdict.proof
    stats = [diff_stat(f.base, f.text, f.pieces) for f in candidate.files.values()]
    imports = ImportsModel(
        added=list(candidate.imports_added), removed=list(candidate.imports_removed)
    )
    return {
        "symbol": asked.symbol,
        "files": sorted(candidate.files),
        "diff_stat": {
            "added": sum(s.added for s in stats),
            "removed": sum(s.removed for s in stats),
        },
        "imports": imports if imports.added or imports.removed else None,
        "formatted": _formatted(candidate),
        "generated": list(asked.generated),
        "resolved": "; ".join(asked.resolved),
        "handles_moved": dict(asked.handles_moved),
        "proof": ProofModel(
            checker=proof.checker,
            contexts=list(proof.contexts),
            packages=proof.packages,
            references=proof.references,
            confirmation=confirmation,
            unproven=list(proof.unproven),
        ),
        "rebinds": [diagnostic_model(change_finding(change)) for change in verdict.rebinds],
        "revealed": _diagnostics(verdict.revealed),
        "warnings": _warnings(verdict),
        "pre_existing": verdict.pre_existing,
        "notes": dict(candidate.draft.notes),
    }


def _warnings(verdict: Verdict) -> list[DiagnosticModel]:
    """What planning warns of and what go vet found, which may be the same."""
    own = [diagnostic_model(found) for found in verdict.candidate.draft.warnings]
    said = {(found.pos, found.msg) for found in own}
    return own + [f for f in _diagnostics(verdict.warnings) if (f.pos, f.msg) not in said]


def _formatted(candidate: Candidate) -> list[str]:
    """Where the bytes are not the ones that the caller gave: the first line of each run."""
    out = []
    for path in candidate.draft.given:
        drafted, final = candidate.draft.files.get(path), candidate.files.get(path)
        if drafted and final and drafted.text is not None and final.text != drafted.text:
            for hunk in line_hunks(drafted.text, final.text or b""):
                out.append(f"{path}:{hunk.new_start + 1}")
    return out


def _diagnostics(found: tuple[Diagnostic, ...]) -> list[DiagnosticModel]:
    return [diagnostic_model(Finding(d.file, d.line, d.col, d.msg, d.code)) for d in order(found)]


def _fresh_view(
    verdict: Verdict, generation_of: GenerationOf | None
) -> tuple[ViewModel | None, str]:
    """The view of the one declaration that was reshaped, or why there is none."""
    draft = verdict.candidate.draft
    if len(draft.touches) != 1:
        if not draft.touches:
            return None, "the declaration is gone" if draft.gone else "no declaration was reshaped"
        return None, f"{len(draft.touches)} declarations were reshaped"
    pkg, sym = draft.touches[0]
    for file in verdict.candidate.files.values():
        if file.text is None:
            continue
        tree = parse(file.text)
        decl = find_decl(tree, file.text, sym, file.path)
        if decl is None:
            continue
        rendered = render_view(tree, file.text, decl)
        if len(rendered.text) > _BUDGET_CHARS:
            return None, f"{rendered.text.count(chr(10))} lines: ask for the view"
        text = file.text[decl.full_span.start : decl.full_span.end]
        # A buffer's text is not the workspace's yet: it has no generation.
        generation = generation_of(pkg, sym, text) if generation_of else 0
        return ViewModel(text=rendered.text, nodes=rendered.nodes, generation=generation), ""
    return None, "the declaration stands in a file that the edit did not change"


def _buffer_edits(verdict: Verdict) -> dict[str, list[TextEdit]]:
    return {
        path: [
            TextEdit(start=start, end=end, text=text.decode("utf-8", "surrogateescape"))
            for start, end, text in text_edits(file.base or b"", file.text or b"", file.pieces)
        ]
        for path, file in sorted(verdict.candidate.files.items())
    }


def _text(file: DraftFile) -> str:
    return (file.text or b"").decode("utf-8", "surrogateescape")


def _hash(file: DraftFile) -> str:
    return "" if file.text is None else hashlib.sha256(file.text).hexdigest()[:16]
