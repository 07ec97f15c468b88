"""Sugar: an op that is a tool of its own, as the one-op patch that it stands for.

Invariant: there is no second path; a sugar call is a patch before anything looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic.fields import FieldInfo

from ago.protocol.requests import Mutation
from ago.protocol.synonyms import near_arguments
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Json, Reject

SUGAR = ("rename", "set_body", "add_param", "upsert_decl", "apply")
"""Ops that are tools: what people and agents do most."""

_ENVELOPE = frozenset({"pkg", "sym"}) | frozenset(Mutation.model_fields)


def sugar_fields(name: str) -> dict[str, FieldInfo]:
    """The arguments of a sugar tool: the op's own, then what every mutation may carry."""
    own = {key: info for key, info in CATALOG[name].model_fields.items() if key != "op"}
    return {**own, **Mutation.model_fields}


def sugar_patch(name: str, args: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments of the patch that a sugar call stands for; Reject unknown_argument."""
    known = sugar_fields(name)
    for key in args:
        if key not in known:
            near = near_arguments(key, known)
            detail = f"{key}: not an argument here; arguments are {', '.join(sorted(known))}"
            raise Reject("unknown_argument", detail, did_you_mean=near, facts={"argument": key})
    envelope: dict[str, Json] = {}
    op: dict[str, Json] = {"op": name}
    for key, value in args.items():
        place = envelope if key in _ENVELOPE and not _is_ops_own(name, key, value) else op
        place[key] = value
    return {**envelope, "ops": [op]}


def _is_ops_own(name: str, key: str, value: Json) -> bool:
    """`imports` is the envelope's as a list of paths, and an op's as a list of objects."""
    objects = isinstance(value, list) and any(isinstance(item, dict) for item in value)
    return key == "imports" and objects and key in CATALOG[name].model_fields
