"""apply: edit files by text: search/replace blocks, diff, apply_patch envelope, whole file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.op import Notes, Plan, ProjectOp
from grammar_ops.scope import Scope
from grammar_ops.text.formats import read_edit_text
from grammar_ops.text.landing import Landing


class Apply(ProjectOp):
    """Edit files by text: search/replace blocks, unified diff, apply_patch envelope, whole file."""

    op: Literal["apply"] = "apply"
    text: str = Field(description="the edit in one of the formats, or a whole file for `path`")
    path: str = Field("", description="the file, where the text names none")
    format: Literal["", "blocks", "diff", "envelope", "whole"] = Field(
        "", description="which format it is, where its first marker does not tell"
    )

    example = [
        {
            "op": "apply", "path": "lib/helper.go",
            "text": "<<<<<<< SEARCH\n\treturn v + 1\n=======\n\treturn 1 + v\n>>>>>>> REPLACE\n",
        }
    ]  # fmt: skip

    def plan(self, scope: Scope) -> Plan:
        """Plan all files of the text, and name the declarations that it changes."""
        landing = Landing(scope)
        landing.land(read_edit_text(self.text, self.path, self.format))
        touched, gone = landing.touched(), landing.gone()
        notes: Notes = {
            "changed": [f"{pkg}.{sym}" for pkg, sym in touched],
            "deleted": [f"{pkg}.{sym}" for pkg, sym in gone],
            "moved": landing.moved,
            "fitted": landing.said,
            "found": landing.resolved,
        }
        return Plan(
            tuple(landing.edits),
            touches=touched,
            heads=landing.heads(),
            gone=gone,
            moves=tuple(landing.moves),
            carried=tuple(landing.carried),
            seen=tuple(landing.seen),
            unproven=landing.unjudged(),
            given=tuple({edit.path: None for edit in landing.edits}),
            notes={key: value for key, value in notes.items() if value},
        )
