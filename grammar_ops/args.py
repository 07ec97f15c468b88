"""Shared argument types of the ops: one name, one meaning, one description everywhere.

Invariant: a type here says what the text is; whether it is Go, the Go parser says while planning.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

PLACES = ("before", "after", "first", "last")
WRAPPERS = ("if", "for", "block", "func", "go", "defer")

Handle = Annotated[
    str,
    Field(
        description="handle from the view: nK, its slot (n4.cond, n4.else), $N for what op N made",
        json_schema_extra={"pattern": r"^(n\d+|\$\d+)(\.[a-z]+(\[\d+\])?)*$"},
    ),
]
Placement = Annotated[
    str,
    Field(
        description="where: before or after the node, first or last in its block",
        json_schema_extra={"enum": list(PLACES)},
    ),
]
WRAP_VALUES = "where the function is a value, put it in a literal that has its old type"
ORPHANS = "delete the locals that only arguments which go used, too"
IMPLEMENTORS = "change all methods that interfaces tie to it"
GoExpr = Annotated[str, Field(description="a Go expression")]
GoStmt = Annotated[str, Field(description="a Go statement")]
GoStmts = Annotated[str, Field(description="Go statements")]
GoType = Annotated[str, Field(description="a Go type")]
ModuleName = Annotated[
    str,
    Field(description="the module meant, where the workspace has several: its path or a folder"),
]
GoName = Annotated[str, Field(description="a Go identifier")]


def _as_pairs(value: object) -> object:
    """A map as the list of `name=value` that it stands for."""
    return [f"{key}={text}" for key, text in value.items()] if isinstance(value, dict) else value


Pairs = Annotated[
    list[str],
    BeforeValidator(_as_pairs),
    Field(description="list of name=value, or a map"),
]


def _as_map(value: object) -> object:
    """A list of `name=value` as the map that it stands for."""
    if isinstance(value, list) and all(isinstance(item, str) and "=" in item for item in value):
        return {name.strip(): text for name, _, text in (item.partition("=") for item in value)}
    return value


ByName = Annotated[
    dict[str, GoExpr],
    BeforeValidator(_as_map),
    Field(description="a map, or a list of name=value"),
]


class ImportSpec(BaseModel):
    """An import that the text needs; `name` only for an alias."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    path: str = Field(description="import path")
    name: str = Field("", description="alias, empty for none")
