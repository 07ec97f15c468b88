"""The tools that an MCP client sees: thirteen, in a fixed order, as few bytes as will do.

Invariant: arguments and enums come from the catalog; the descriptions state what a tool does and
tell nobody what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ago.catalog.flat import Schema, field_schema, object_schema, op_schema
from ago.catalog.schema import Tool, tools
from ago.queries.catalog import QUERIES

DRY_RUN = "dry_run"
"""The patch that writes nothing, as a tool that hosts may run without asking."""

LISTED = (
    "status", "help", "query", "view", "patch", "test", "rename", "set_body", "add_param",
    "upsert_decl", "apply", "undo", DRY_RUN,
)  # fmt: skip

BY_KIND = ("log", "show")
"""Reads that are no queries and no tools of the list: query takes their names as kinds."""

# Arguments that are for other fronts, or rare enough to be left to help; all of them are taken.
_UNLISTED = frozenset(
    {
        "overlay", "show_files", "gate", "max_tokens", "prefer_imports", "idempotency_key",
        "allow_rebind", "allow_generated", "wait", "timeout_s", "by_package", "fields", "docs",
        "exported", "effect",
    }
)  # fmt: skip
_SUGAR = frozenset({"pkg", "sym", "to", "body", "name", "type", "default", "text", "path"})
"""All that the sugar tools show: patch has the rest of their ops' arguments."""
_WITH_ROOT = frozenset({"status", "query", "view", "patch", "test"})
"""Where `root` is shown; every tool takes it."""


@dataclass(frozen=True)
class About:
    """What the catalog cannot say of a tool in a client's list."""

    text: str
    args: dict[str, str] = field(default_factory=dict)
    """Descriptions of the arguments that need one."""
    required: tuple[str, ...] = ()


_SYM = "Name, Type.Member, pkg.Name, file.go or file.go:line"

_ABOUT = {
    "status": About(
        "Counts, build contexts and standing errors of the workspace, loaded where it is not yet.",
        {
            "root": "another workspace's folder; all tools take it",
            "pending": "handle of a running call",
        },
    ),
    "help": About(
        "Ops with arguments and examples, or one entry whole.",
        {"name": "op, query kind, tool or reason"},
    ),
    "query": About(
        "A typed question; lists are counted and paged. search, text: q; log, show: accepted "
        "edits; others: pkg, sym.",
        {"sym": _SYM, "pkg": "import path, suffix of one, or folder"},
        ("kind",),
    ),
    "view": About(
        "A declaration's text. nK: is a statement's handle while the generation stays. Of a file "
        "or package its outline.",
        {"slots": "handles of expressions too"},
        ("sym",),
    ),
    "patch": About(
        "Ops as one edit, all or none; written only if all packages compile and no other name "
        "changes meaning. Example: "
        '{"sym":"lib.F","ops":[{"op":"add_if","at":"n1","where":"before","cond":"v<0"},'
        '{"op":"add_return","at":"$1","where":"first","exprs":["0"]}]}. '
        "Refusals have possible_repairs: calls that work as they stand.",
        {
            "at": "nK, its slot n4.cond, or $N: what op N made",
            "where": "before, after, first or last",
        },
        ("ops",),
    ),
    "test": About("go test, answered per test.", {"run": "pattern"}),
    "rename": About(
        "Renames a declaration or package, its references and doc links.",
        required=("sym", "to"),
    ),
    "set_body": About(
        "Replaces a function's body.",
        {"body": "statements, or the whole function"},
        ("sym", "body"),
    ),
    "add_param": About(
        "Adds a parameter, and an argument to every call.",
        {"default": "argument of existing calls"},
        ("sym", "name", "type"),
    ),
    "upsert_decl": About(
        "Replaces the declaration that the text names, or adds it; imports follow.",
        {"text": "a whole Go declaration"},
        ("pkg", "text"),
    ),
    "apply": About(
        "Text edits, judged as ops are: search/replace blocks, diff, apply_patch envelope, or a "
        "whole file for path.",
        required=("text",),
    ),
    "undo": About(
        "Takes back an edit, the last one by default.",
    ),
    DRY_RUN: About(
        "Verdict and diff of a patch, written nowhere.",
        {"ops": "as in patch"},
        ("ops",),
    ),
}


_OUTPUT: Schema = {"type": "object", "required": ["status"]}
"""Every answer has a status (ok, accepted, rejected, failed, pending); what else, depends on it."""


@cache
def listed() -> tuple[str, ...]:
    """Names of the tools in the list: those of LISTED that the catalog has."""
    return tuple(name for name in LISTED if name in tools() or name == DRY_RUN)


@cache
def tool_list() -> tuple[dict[str, Any], ...]:
    """The list as clients get it, ready to be sent."""
    return tuple(_entry(name) for name in listed())


def _entry(name: str) -> dict[str, Any]:
    tool, about = tools()["patch" if name == DRY_RUN else name], _ABOUT[name]
    return {
        "name": name,
        "description": about.text,
        "inputSchema": object_schema(_arguments(name, tool, about), about.required),
        "outputSchema": _OUTPUT,
        "annotations": _annotations(name, tool),
    }


def _arguments(name: str, tool: Tool, about: About) -> Schema:
    """The arguments of a tool, those that it must have first."""
    shown = {
        key: info
        for key, info in tool.fields.items()
        if (key in _SUGAR if tool.op else key not in _UNLISTED)
    }
    ordered = dict.fromkeys((*about.required, *shown))
    found: Schema = {}
    for key in ordered:
        found[key] = field_schema(shown[key], about.args.get(key, ""))
    if "kind" in found:
        found["kind"]["enum"] = [*QUERIES, *BY_KIND]
        found["edit"] = {"type": "integer"}
    if "ops" in found:
        found["ops"]["items"] = _ops_of(name, about)
    if name == DRY_RUN:
        del found["dry_run"]
    if name == "status":
        found["pending"] = {"type": "string", "description": about.args["pending"]}
    if name in _WITH_ROOT:
        root = about.args.get("root", "")
        found["root"] = {"type": "string"} | ({"description": root} if root else {})
    return found


def _ops_of(name: str, about: About) -> Schema:
    """The items of `ops`: spelled out once, in patch, and only named after it in the dry run."""
    if name == DRY_RUN:
        return object_schema({"op": {"type": "string"}}, ("op",))
    return op_schema({key: about.args[key] for key in ("at", "where")})


def _annotations(name: str, tool: Tool) -> Schema:
    """Hints for the host; what is not given means that it may destroy."""
    if tool.kind == "read" or name == DRY_RUN:
        return {"readOnlyHint": True}
    return {"readOnlyHint": False} | ({"destructiveHint": False} if tool.kind == "run" else {})


def kinds() -> Iterable[str]:
    """All that query takes as `kind`."""
    return (*QUERIES, *BY_KIND)
