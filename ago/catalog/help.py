"""help: the catalog as an answer, whole or one entry of it.

Invariant: static; no workspace is loaded for it, and the same version gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin

from pydantic.fields import FieldInfo

from ago.catalog.schema import Tool, summary_of, tools
from ago.protocol.requests import Mutation, Paged
from ago.queries.catalog import Query
from grammar_ops.catalog import CATALOG, catalog_version
from grammar_ops.op import Op
from grammar_ops.reject import Json, Reject, register, registered_reasons

register("catalog", {"unknown_help_topic": "there is no tool, op, query or reason of that name"})

# Explained once, in the list, instead of with each op.
_SHARED = frozenset({"op", "pkg", "sym", "generation"})


def help_answer(name: str, queries: Mapping[str, Query]) -> dict[str, Json]:
    """The catalog for "", else one tool, op, query or reason."""
    if not name:
        return _list(queries)
    key = name.replace("-", "_")
    found: dict[str, Json] = {"status": "ok", "name": key}
    if key in CATALOG:
        return found | _op_entry(CATALOG[key], whole=True)
    if key in queries:
        return found | _query_entry(queries[key])
    if key in tools():
        return found | _tool_entry(tools()[key], whole=True)
    if reason := registered_reasons().get(key):
        return found | {"description": reason.summary, "layer": reason.layer}
    known = dict.fromkeys([*tools(), *CATALOG, *queries, *registered_reasons()])
    near = tuple(get_close_matches(key, known, n=3, cutoff=0.6))
    raise Reject("unknown_help_topic", name, did_you_mean=near)


def _list(queries: Mapping[str, Query]) -> dict[str, Json]:
    return {
        "status": "ok",
        "version": catalog_version(),
        "addresses": "pkg: import path, unique suffix or folder; sym: Name, Type.Member, pkg.Name, "
        "file.go or file.go:line[:col]. An op's pkg and sym default to its patch's.",
        "mutations": ", ".join(sorted(Mutation.model_fields)) + " go with every mutation",
        "tools": [_tool_entry(tool) for tool in tools().values() if not tool.op],
        "ops": [_op_entry(op) for op in CATALOG.values()],
        "queries": [{"kind": q.kind, "description": q.summary} for q in queries.values()],
        "more": "help with name=<tool, op, query or reason> shows one entry whole",
    }


def _tool_entry(tool: Tool, *, whole: bool = False) -> dict[str, Json]:
    entry: dict[str, Json] = {"name": tool.name, "description": tool.summary}
    if whole and tool.fields:
        entry["args"] = [_arg(info.alias or name, info) for name, info in tool.fields.items()]
    return entry


def _query_entry(query: Query) -> dict[str, Json]:
    fields = query.request.model_fields
    own = sorted(fields.items(), key=lambda field: field[0] in Paged.model_fields)
    return {
        "query": query.kind,
        "description": query.summary,
        "answer": query.answered,
        "args": [_arg(info.alias or name, info) for name, info in own],
        "example": {"tool": "query", "args": {"kind": query.kind, **query.example}},
        **({"also_a_tool": True} if query.kind in tools() else {}),
    }


def _op_entry(op: type[Op], *, whole: bool = False) -> dict[str, Json]:
    name = op.model_fields["op"].default
    fields = {info.alias or key: info for key, info in op.model_fields.items() if key != "op"}
    entry: dict[str, Json] = {"op": name, "description": summary_of(op)}
    if whole:
        entry["args"] = [_arg(key, info) for key, info in fields.items()]
        limits: dict[str, Json] = {c.id: c.sentence for c in op.ceilings}
        entry |= {"limits": limits} if limits else {}
        entry |= {"reasons": dict(op.reasons)} if op.reasons else {}
        entry |= {"also_a_tool": True} if name in tools() else {}
    else:
        entry["args"] = [
            {"name": key, "type": type_word(info.annotation), **_required(info)}
            for key, info in fields.items()
            if key not in _SHARED
        ]
    entry["example"] = list(op.example)
    return entry


def _arg(name: str, info: FieldInfo) -> dict[str, Json]:
    arg: dict[str, Json] = {"name": name, "type": type_word(info.annotation)}
    arg |= _required(info)
    if info.description:
        arg["description"] = info.description
    return arg


def _required(info: FieldInfo) -> dict[str, Json]:
    return {"required": True} if info.is_required() else {}


def type_word(annotation: Any) -> str:
    """A field's type in the words of the wire: string, bool, integer, []string, object, a|b."""
    names = {str: "string", bool: "bool", int: "integer", float: "number"}
    if annotation in names:
        return names[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_word(inner[0])
    if origin is list:
        return f"[]{type_word(inner[0])}" if inner else "array"
    if origin is dict or isinstance(annotation, type):
        return "object"
    words = [a if isinstance(a, str) else type_word(a) for a in inner if a is not type(None)]
    return "|".join(word for word in dict.fromkeys(words) if word) or "any"
