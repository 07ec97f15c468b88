"""skill: the SKILL.md that tells an agent when and how to use ago, printed or installed.

Invariant: the text comes from the catalog; what is installed is overwritten, nothing else is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ago.scaffold.clients import choose_clients, place
from ago.scaffold.files import Plan, write_changes
from ago.scaffold.teaching import skill_text
from grammar_ops.reject import Json


def install(
    folder: Path, names: Sequence[str], *, project: bool, env: Mapping[str, str]
) -> dict[str, Json]:
    """Write the skill where these agents look for skills: in the user's home, or in `folder`."""
    home = Path(env.get("HOME") or "/")
    plan = Plan(folder, home)
    for client in choose_clients(names, folder, home, env):
        file = place(client.skills[0 if project else 1], folder, home) / "ago" / "SKILL.md"
        plan.edit(file, skill_text())
    write_changes(plan)
    return {"status": "ok", "installed": [str(path) for path in plan.wanted]}


def show() -> dict[str, Json]:
    """The skill itself."""
    return {"status": "ok", "text": skill_text()}
