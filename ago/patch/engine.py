"""The engine: the whole life of an edit, from a request to a committed edit or a refusal.

Invariant: the stages run in order, each on the value of the one before; what is not approved is
never committed, so nothing ever has to be rolled back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ago.checker.checker import CheckResult
from ago.checker.toolchain import Toolchain
from ago.commit.commit import Note, commit, foresee
from ago.commit.history import History
from ago.config import Config
from ago.gate.confirm import Confirmer
from ago.gate.gate import approve, judge
from ago.patch.answer import Asked, accepted, dry_run
from ago.patch.buffers import settle_positions
from ago.patch.candidate import format_draft
from ago.patch.decode import decode_patch, is_about_modules
from ago.patch.draft import draft_ops, seal
from ago.patch.imports import repair_imports
from ago.patch.judging import Checkers, ContextBuild, builds_of, checkers_of, rules_of, views_of
from ago.patch.mends.mend import add_mends
from ago.patch.mends.sight import Sight
from ago.patch.missing import Witness, explain_imports
from ago.patch.modules import ModuleCommands
from ago.patch.note import note_of
from ago.patch.provisional import Provisional
from ago.patch.remarks import find_remarks
from ago.patch.scope import DraftScope
from ago.patch.unreached import find_unreached
from ago.patch.workbench import Workbench, read_buffers
from ago.protocol.requests import Mutation, Patch
from ago.protocol.responses import Accepted, DryRun
from ago.stages import Approved, Candidate, Confirmation, Receipt, Verdict
from ago.workspace.snapshot import Snapshot
from ago.workspace.workspace import Workspace
from grammar_ops.reject import Reject
from grammar_ops.syntax.parse import parse


class Engine:
    """Runs the mutations of one workspace, one at a time."""

    def __init__(self, workspace: Workspace, history: History, config: Config) -> None:
        """Nothing runs yet."""
        self.workspace, self.history, self.config = workspace, history, config
        self.toolchain = Toolchain(workspace.root, workspace.go)
        self.confirmer = Confirmer(
            workspace.root, workspace.go, history, config.confirm, workspace.go_commands
        )
        self.writing = workspace.writing

    def run(self, request: Patch) -> Accepted | DryRun:
        """Run a patch; raises Reject with all that is known about mending it."""
        with self.writing, self.confirmer.paused():
            return self.workspace.reading(
                lambda snapshot: self._run(request, snapshot), mending=is_about_modules(request)
            )

    def close(self) -> None:
        """End what runs behind the answers."""
        self.confirmer.close()

    def _run(self, request: Patch, snapshot: Snapshot) -> Accepted | DryRun:
        checkers = checkers_of(self.workspace, snapshot)
        bench = Workbench(snapshot.find, read_buffers(request.overlay))
        witness = Witness(checkers.oracle, snapshot)
        scope = DraftScope(snapshot, bench, witness)
        request = settle_positions(request, snapshot, bench)
        patch = decode_patch(request, snapshot, scope)
        modules = self._modules(bench)
        allow = request.allow_generated
        provisional = Provisional(bench, scope, checkers, request.prefer_imports)
        gathered = draft_ops(
            patch, scope, bench, modules, witness, provisional, allow_generated=allow
        )
        imports = repair_imports(bench, scope, checkers, request.prefer_imports)
        modules.settle(scope)
        if changes := modules.changes():
            gathered.notes["modules"] = changes
        draft = seal(patch.ops, gathered, scope, bench)
        candidate = format_draft(draft, checkers.oracle, imports, bench.buffers())
        if not draft.keeps_meaning:
            read = cache(parse)
            unreached = find_unreached(candidate.files.values(), read)
            candidate = candidate.warned((*unreached, *find_remarks(candidate, read)))
        patch = replace(patch, handles_moved={**patch.handles_moved, **scope.handles.described})
        asked = Asked.of(patch, gathered, candidate, snapshot)
        note = note_of(request, candidate)
        return self.conclude(candidate, request, asked, note, checkers, snapshot)

    def conclude(
        self, candidate: Candidate, request: Mutation, asked: Asked, note: Note,
        checkers: Checkers, snapshot: Snapshot,
    ) -> Accepted | DryRun:  # fmt: skip
        """From candidate to answer: judge, approve, commit; a dry run stops at the verdict."""
        rules = rules_of(request, self.config, snapshot)
        views = views_of(self.workspace, snapshot.graph, candidate.files) if checkers.typed else []

        def builds(own: CheckResult) -> Sequence[ContextBuild]:
            return builds_of(self.workspace, snapshot, candidate, own) if checkers.typed else ()

        verdict = judge(candidate, checkers.resident, self.toolchain, rules, views, builds)
        approved = self._approve(verdict, request, checkers, snapshot)
        if request.dry_run:
            files = candidate.files.values()
            foresee([f for f in files if not f.overlaid and f.text != f.base], self.workspace.root)
            return dry_run(asked, verdict, show_files=request.show_files)
        if any(file.overlaid for file in candidate.files.values()):
            return accepted(asked, verdict)
        receipt, confirmation = self._commit(approved, note)
        generation_of = self.workspace.generations.current
        return accepted(asked, verdict, receipt, confirmation, generation_of)

    def _modules(self, bench: Workbench) -> ModuleCommands:
        workspace = self.workspace
        return ModuleCommands(
            workspace.root, workspace.go, self.config.module_seconds, bench,
            workspace.modules_arrived,
        )  # fmt: skip

    def _approve(
        self, verdict: Verdict, request: Mutation, checkers: Checkers, snapshot: Snapshot
    ) -> Approved:
        try:
            return approve(verdict)
        except Reject as reject:
            if not checkers.typed or reject.reason != "patch_does_not_typecheck":
                raise
            if (lacking := explain_imports(reject, verdict, snapshot)) is not reject:
                raise lacking from None
            ops = request.ops if isinstance(request, Patch) else []
            sight = Sight(verdict.candidate, checkers.oracle, snapshot)
            raise add_mends(reject, verdict, ops, sight) from None

    def _commit(self, approved: Approved, note: Note) -> tuple[Receipt, Confirmation]:
        """Write, let the workspace know, queue the confirmation."""
        verdict = approved.verdict
        receipt = commit(approved, root=self.workspace.root, history=self.history, note=note)
        texts = {path: f.text for path, f in verdict.candidate.files.items()}
        self.workspace.advance(receipt, texts, verdict.contexts if verdict.token else None)
        if approved.verdict.proof.confirmation == "confirmed":
            self.history.confirm(receipt.edit, "confirmed")
            return receipt, "confirmed"
        return receipt, self.confirmer.follow(receipt.edit)
