"""What an edit needs and the build lacks: answers without types, imports of missing modules.

Invariant: an edit is refused for a missing module only where it can't be made, or not be judged,
without its types; all else goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ago.checker.checker import Diagnostic, FormatItem, Formatted, Overlay, TypeOracle
from ago.stages import Verdict
from ago.workspace.missing import required_by
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register(
    "patch",
    {"dependencies_missing": "types of a module that is not here are needed; a repair gets it"},
)


class Witness(TypeOracle):
    """An oracle that remembers which packages it could not answer for."""

    def __init__(self, oracle: TypeOracle, snapshot: Snapshot) -> None:
        """Nothing was asked yet."""
        self._oracle, self._snapshot = oracle, snapshot
        self.unknown: dict[str, None] = {}
        """Import paths of packages that answers would have needed."""

    def ask(self, overlay: Overlay, questions: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
        """Answer typed questions over base + overlay."""
        answers = self._oracle.ask(overlay, questions)
        for answer in answers:
            paths = answer.get("missing") if "error" in answer else None
            self.unknown.update(dict.fromkeys(map(str, paths if isinstance(paths, list) else ())))
        return answers

    def format(self, items: Sequence[FormatItem]) -> list[Formatted]:
        """Format files by the rules of the wire contract."""
        return self._oracle.format(items)

    def syntax(self, kind: str, text: str) -> str | None:
        """The Go parser's complaint on a fragment, None when it is Go."""
        return self._oracle.syntax(kind, text)

    def explain(self, reject: Reject) -> Reject:
        """The refusal of an op that asked in vain, by what it lacked; any other as it is."""
        if not self.unknown:
            return reject
        said = f"{reject.reason}: {reject.detail}" if reject.detail else reject.reason
        found = _missing(self._snapshot, list(self.unknown), f"{said}; its types are unknown")
        found.op, found.diagnostics = reject.op, reject.diagnostics
        return found


def explain_imports(reject: Reject, verdict: Verdict, snapshot: Snapshot) -> Reject:
    """The refusal of new imports of modules that are required and missing; any other as it is."""
    paths = [_imported(verdict, found) for found in verdict.new]
    if not all(path and _required(snapshot, path) for path in paths):
        return reject
    found = _missing(snapshot, paths, reject.detail)
    found.op, found.diagnostics = reject.op, reject.diagnostics
    return found


def _missing(snapshot: Snapshot, paths: list[str], said: str) -> Reject:
    required = {found: None for path in paths if (found := _required(snapshot, path))}
    # What nothing requires is got by the path of the package.
    wanted = [*required] or [(path, "") for path in paths]
    names = ", ".join(f"{module} {version}".strip() for module, version in wanted)
    facts: dict[str, Json] = {"modules": [[module, version] for module, version in wanted]}
    return Reject("dependencies_missing", f"{said}: {names} is not here", facts=facts)


def _required(snapshot: Snapshot, path: str) -> tuple[str, str] | None:
    folders = [module.dir or "." for module in snapshot.graph.modules]
    return required_by(Path(snapshot.root), folders, path)


def _imported(verdict: Verdict, found: Diagnostic) -> str:
    """The import path that a diagnostic complains of, "" for one of anything else."""
    file = verdict.candidate.files.get(found.file)
    if found.code != "import_missing" or file is None or file.text is None:
        return ""
    return file.text[found.offset : found.end].decode("utf-8", "replace").strip('"`')
