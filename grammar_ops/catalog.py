"""The op catalog: a walk of ops/, checked once at import; JSON to ops; what help and schemas need.

Invariant: one Op in a module, module name = wire name = class name in snake case; nothing is listed
by hand, and `catalog_version` is the hash of the schemas.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from grammar_ops import ops
from grammar_ops.near import near_names
from grammar_ops.op import Op
from grammar_ops.reject import Json, Reject, register

register(
    "grammar",
    {
        "malformed_op": "an element of `ops` is not an object that names its op",
        "unknown_op": "no op has this name",
        "arg_not_in_schema": "the op has no such argument, or it is of another type",
        "arg_required": "the op needs this argument",
        "sym_and_syms": "`syms` names all declarations: `sym` beside it is left over",
    },
)

_WRONG_TYPE = "arg_not_in_schema"


def _walk() -> Iterator[tuple[str, type[Op]]]:
    for found in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}."):
        module = importlib.import_module(found.name)
        if not found.ispkg:
            yield found.name.rpartition(".")[2], _only_op(module)


def _only_op(module: ModuleType) -> type[Op]:
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Op) and value.__module__ == module.__name__
    ]
    name = module.__name__.rpartition(".")[2]
    if len(own) != 1:
        raise TypeError(f"{module.__file__}: one op in a module, found {len(own)}")
    if snake_case(own[0].__name__) != name or own[0].model_fields["op"].default != name:
        raise TypeError(f"{module.__file__}: the op must be called {name}")
    if not own[0].example and not own[0].not_hermetic:
        raise TypeError(f"{module.__file__}: the op has no example")
    return own[0]


def snake_case(name: str) -> str:
    """CamelCase in snake case."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _build() -> dict[str, type[Op]]:
    catalog = dict(sorted(_walk()))
    shared: dict[str, str] = {}
    for op in catalog.values():
        for key, sentence in (*op.reasons.items(), *op.ceilings):
            # Ops of one kind may share a reason; one key with two meanings is refused.
            if shared.get(key) != sentence:
                register("grammar", {key: sentence})
                shared[key] = sentence
    return catalog


CATALOG: dict[str, type[Op]] = _build()


def op_schema(op: type[Op]) -> dict[str, Any]:
    """The JSON schema of an op's object on the wire."""
    return op.model_json_schema(by_alias=True)


def describe(op: type[Op]) -> dict[str, Json]:
    """What help says of an op: summary, arguments, ceilings, reasons, example; from the class."""
    schema = op_schema(op)
    args: list[Json] = [
        {
            "name": name,
            "type": type_name(field),
            "required": name in schema.get("required", []),
            "description": field.get("description", ""),
        }
        for name, field in schema["properties"].items()
        if name != "op"
    ]
    found: dict[str, Json] = {"op": schema["properties"]["op"]["const"], "summary": summary_of(op)}
    found["args"] = args
    if op.ceilings:
        found["ceilings"] = [{"id": c.id, "sentence": c.sentence} for c in op.ceilings]
    if op.reasons:
        found["reasons"] = [*sorted(op.reasons)]
    if op.example:
        found["example"] = [dict(step) for step in op.example]
    return found


def summary_of(op: type[Op]) -> str:
    """The first sentence of an op's docstring."""
    return " ".join((op.__doc__ or "").strip().split("\n\n")[0].split())


def type_name(field: dict[str, Any]) -> str:
    """The short type of a schema field: string, boolean, integer, object, []string, []object."""
    if "anyOf" in field:
        return type_name(next(f for f in field["anyOf"] if f.get("type") != "null"))
    if field.get("type") == "array":
        return f"[]{type_name(field['items'])}"
    return str(field.get("type", "object"))


@cache
def catalog_version() -> str:
    """12 hex digits that tell one catalog from another. Schemas take a while to make."""
    schemas = [op_schema(op) for op in CATALOG.values()]
    return hashlib.sha256(json.dumps(schemas, sort_keys=True).encode()).hexdigest()[:12]


def parse_op(raw: object, index: int) -> Op:
    """One element of `ops` as an op; Reject names op, field, near name. `index` counts from 1."""
    if not isinstance(raw, dict) or not isinstance(raw.get("op"), str):
        raise Reject("malformed_op", f"op {index}: an object with `op` is wanted", op=index)
    name = raw["op"]
    if name not in CATALOG:
        near = near_names(name, CATALOG) or tuple(CATALOG)
        raise Reject("unknown_op", f"op {index}: {name}", did_you_mean=near, op=index)
    try:
        op = CATALOG[name].model_validate(raw)
    except ValidationError as error:
        # A misspelt argument is both unknown and missing: the unknown name says more.
        faults = sorted(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
        raise _reject_shape(CATALOG[name], faults[0], index) from None
    if raw.get("sym") and raw.get("syms"):
        facts: dict[str, Json] = {"drop": [["syms"], ["sym"]]}
        raise Reject("sym_and_syms", f"op {index} ({name})", op=index, facts=facts)
    return op


def _reject_shape(op: type[Op], error: ErrorDetails, index: int) -> Reject:
    path = ".".join(str(part) for part in error["loc"])
    field = str(error["loc"][-1]) if error["loc"] else ""
    where = f"op {index} ({op.model_fields['op'].default}): {path}"
    facts: dict[str, Json] = {"field": path}
    if error["type"] == "missing":
        return Reject("arg_required", where, op=index, facts=facts)
    if error["type"] == "extra_forbidden":
        names = [name for name in op_schema(op)["properties"] if name != "op"]
        near = near_names(field, names) or tuple(names)
        return Reject(_WRONG_TYPE, where, did_you_mean=near, op=index, facts=facts)
    detail = f"{where}: {error['msg'][:1].lower()}{error['msg'][1:]}"
    return Reject(_WRONG_TYPE, detail, op=index, facts=facts)
