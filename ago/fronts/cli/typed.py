"""A call as the command line that sends it, so that a repair can be copied.

Invariant: typing the line sends exactly the call.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import cast

from ago import wire
from ago.fronts.cli.forms import FORMS
from grammar_ops.reject import Json


def type_call(call: Mapping[str, Json]) -> str:
    """The `ago …` line for a call; a tool without a command is shown as JSON."""
    args = dict(cast(Mapping[str, Json], call.get("args") or {}))
    fits = [form for form in FORMS if form.tool == call.get("tool")]
    asked = [form for form in fits if form.kind and form.kind == args.get("kind")]
    form = next(iter(asked or (form for form in fits if not form.kind)), None)
    if form is None:
        return wire.dump_json(call).decode()
    if form.tool == "patch":
        return shlex.join(["ago", "patch", "--body", wire.dump_json(args).decode()])
    words = ["ago", form.command]
    for name, value in args.items():
        if (name == "kind" and form.kind) or (name, value) == ("pkg", ""):
            continue  # a command takes the package from the symbol when none is named
        words += _flag("body" if name == form.text else name, value)
    return shlex.join(words)


_ON = frozenset({"move_folder"})
"""Arguments that hold unless they are denied."""


def _flag(name: str, value: Json) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return [flag] if value else [f"--no-{flag[2:]}"] if name in _ON else []
    if isinstance(value, list):
        return [word for item in value for word in (flag, str(item))]
    return [flag, str(value)]
