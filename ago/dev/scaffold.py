"""A new op's two files: the module to fill and the example case that fails until it is filled."""

from __future__ import annotations

from pathlib import Path

from ago.dev import txtar

FAMILIES = ("decl", "stmt", "test", "project")
_BASES = {"decl": "DeclOp", "stmt": "StatementOp", "test": "DeclOp", "project": "Op"}

_MODULE = '''"""{name}: say in one line what the op does."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from grammar_ops.op import {base}, Plan
from grammar_ops.scope import Scope


class {title}({base}):
    """Say in one sentence what the op does; help, schemas and docs show it."""

    op: Literal["{name}"] = "{name}"
    text: str = Field(description="say what the caller gives here")

    example: ClassVar[list[dict[str, Any]]] = [{{"op": "{name}", "text": "fill this"}}]

    def plan(self, scope: Scope) -> Plan:
        """Plan on the current draft."""
        return Plan()
'''


def new_op(checkout: Path, family: str, name: str) -> list[Path]:
    """Write both files and return them; raises ValueError when the name is taken or no name."""
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"{name}: an op is called like add_return, in snake case")
    module = checkout / "grammar_ops" / "ops" / family / f"{name}.py"
    case = checkout / "testdata" / "ops" / name / "example.txtar"
    if module.exists() or case.exists():
        raise ValueError(f"{name} is there already")
    title = "".join(part.title() for part in name.split("_"))
    case.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(_MODULE.format(name=name, title=title, base=_BASES[family]))
    case.write_bytes(
        txtar.render(
            txtar.Archive(
                b"The documented example: say what it shows.\n",
                {"want/response.json": txtar.render_json({"status": "accepted", "files": []})},
            )
        )
    )
    return [module, case]
