"""The tools that can be called, their arguments, and the JSON schemas of both.

Invariant: derived from the request models and the op classes; nothing is listed a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from ago.catalog.sugar import SUGAR, sugar_fields
from ago.protocol.requests import READS, RUNS, WRITES
from grammar_ops.catalog import CATALOG


@dataclass(frozen=True)
class Tool:
    """One callable entry: its name, a sentence, its arguments, whether it may change the disk."""

    name: str
    summary: str
    fields: Mapping[str, FieldInfo]
    kind: Literal["read", "write", "run"]
    op: bool = False
    """It is an op's sugar."""


@cache
def tools() -> dict[str, Tool]:
    """Every tool by name, reads first."""
    kinds: tuple[tuple[Literal["read", "write", "run"], Mapping[str, type[BaseModel]]], ...] = (
        ("read", READS),
        ("write", WRITES),
        ("run", RUNS),
    )
    found = {
        name: Tool(name, summary_of(model), model.model_fields, kind)
        for kind, models in kinds
        for name, model in models.items()
    }
    for name in SUGAR:
        found[name] = Tool(name, summary_of(CATALOG[name]), sugar_fields(name), "write", op=True)
    return found


def summary_of(model: type[BaseModel]) -> str:
    """The first line of a class's docstring."""
    return (model.__doc__ or "").strip().partition("\n")[0]


@cache
def tool_schema(name: str) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, as MCP's inputSchema wants it."""
    tool = tools()[name]
    fields: dict[str, Any] = {key: (info.annotation, info) for key, info in tool.fields.items()}
    model = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return plain_schema(model)


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's JSON schema without what pydantic adds for people (titles)."""
    schema: dict[str, Any] = _untitled(model.model_json_schema())
    schema.setdefault("required", [])
    return schema


def _untitled(schema: Any) -> Any:
    """`title` goes where it names a schema, and stays where it is the name of a property."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _untitled(inner) for name, inner in value.items()}
        if key == "properties"
        else _untitled(value)
        for key, value in schema.items()
        if key != "title" or not isinstance(value, str)
    }
