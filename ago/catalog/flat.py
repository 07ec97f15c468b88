"""Flat JSON schemas of arguments: what every client's function calling takes, short enough to read.

Invariant: no $ref, anyOf, null or title, no object without properties, no array without items.
What is left out of a schema is still taken when it is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ago.catalog.help import type_word
from grammar_ops.catalog import CATALOG

Schema = dict[str, Any]

_WORDS = {"string": "string", "bool": "boolean", "integer": "integer", "number": "number"}
_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}


def object_schema(properties: Schema, required: Iterable[str] = ()) -> Schema:
    """An object with these properties; `required` is always there, as a list."""
    return {"type": "object", "properties": properties, "required": list(required)}


def field_schema(info: FieldInfo, text: str = "") -> Schema:
    """One argument: its type in JSON's words, and what it is."""
    schema = _type_schema(info.annotation)
    return {**schema, "description": text} if text else schema


def op_schema(described: Mapping[str, str]) -> Schema:
    """An op in `ops`: one flat object, of `op` and the arguments of all ops together."""
    properties: Schema = {"op": {"type": "string", "enum": list(CATALOG)}}
    for op in CATALOG.values():
        for key, info in op.model_fields.items():
            name = info.alias or key
            if name not in properties:
                properties[name] = field_schema(info, described.get(name, ""))
    return object_schema(properties, ["op"])


def _type_schema(annotation: Any) -> Schema:
    (inner, *_) = get_args(annotation) or (None,)
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        items = {key: field_schema(info) for key, info in inner.model_fields.items()}
        return {"type": "array", "items": object_schema(items)}
    return _word_schema(type_word(annotation))


def _word_schema(word: str) -> Schema:
    """The schema of a type as help words it: string, []string, a|b …"""
    if word in _WORDS:
        return {"type": _WORDS[word]}
    if word == "object":
        return _STRINGS  # a map is also taken as a list of name=value
    if word.startswith("[]"):
        return {"type": "array", "items": _word_schema(word[2:])}
    return {"type": "string", "enum": word.split("|")}
