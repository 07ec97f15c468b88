"""move_file: rename a Go file, or move it to another package with all that it declares."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from grammar_ops.edit import Edit, Span
from grammar_ops.op import Notes, Plan, ProjectOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.files import clean_path
from grammar_ops.syntax.fixtures import list_left
from grammar_ops.syntax.landing import is_there
from grammar_ops.syntax.movedfile import (
    list_effects,
    refuse_build,
    refuse_split,
    relocation_of_file,
)
from grammar_ops.syntax.relocation import Arrival, assemble, relocate


class MoveFile(ProjectOp):
    """Rename a Go file or move it to another package; every use of what it declares follows."""

    op: Literal["move_file"] = "move_file"
    source: str = Field(alias="from", description="path of the file below the workspace")
    to: str = Field(description="its new path")
    create_pkg: bool = Field(False, description="make the package when there is none")
    export: bool = Field(False, description="export unexported names that the move parts from uses")

    keeps_meaning = True
    reasons = {
        "from_to_required": "give the path of the file and its new path",
        "target_file_exists": "there is a file of that path",
        "build_changes": "the new name would put the file into other builds, or among the tests",
        "file_splits_type": "a type and its methods would be in two packages",
    }
    example = [{"op": "move_file", "from": "lib/lib.go", "to": "lib/core.go"}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the new file with its package clause, and how every use is written afterwards."""
        path, to = clean_path(self.source), clean_path(self.to)
        if not path or not to:
            raise Reject("from_to_required")
        src = scope.source(path)
        if is_there(scope, to):
            raise Reject("target_file_exists", to)
        refuse_build(path, to)
        move, clause = relocation_of_file(
            scope, path, to, create=self.create_pkg, export=self.export
        )
        refuse_split(scope, move)
        outcome = relocate(move)
        outcome = outcome._replace(edits=(*clause, *outcome.edits))
        arrival = Arrival(to, 0, ((b"", move.regions[0]),), b"" if src else b"\n")
        plan = assemble(move, outcome, [Edit(path, Span(0, 0), None)], [arrival])
        leaving = [m for m in move.members if m.pkg != m.to_pkg]
        return replace(
            plan,
            gone=tuple((m.pkg, m.sym) for m in leaving),
            warnings=(
                *list_left(scope, [(path, move.regions[0].span, to)]),
                *list_effects(scope, move),
            ),
            notes=Notes(references=outcome.references, moved=[f"{path} to {to}"]),
        )
