"""Lenient in: nearly right JSON and nearly right patch envelopes, put right and named.

Invariant: only the shape is mended, never a name or a value; every mending is reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError

from ago.protocol import reasons  # noqa: F401 - registers what is raised here
from ago.protocol.opshape import mend_op, shape_op
from ago.protocol.requests import Mutation, Request
from ago.protocol.synonyms import near_arguments
from grammar_ops.reject import Json, Reject

R = TypeVar("R", bound=Request)

_TOKEN = re.compile(
    r""""(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<comma>,)(?=\s*[\]}])""",
    re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_FENCED = re.compile(r"\s*```[a-z]*\s*\n(.*?)\s*```\s*", re.DOTALL)
_ENVELOPE = frozenset(Mutation.model_fields) | {"pkg", "sym"}


def parse_json(text: str) -> tuple[Json, tuple[str, ...]]:
    """The value of a JSON text and what had to be mended in it; Reject malformed_request."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        fenced = _FENCED.fullmatch(text)
        mended, repairs = _mend(fenced[1] if fenced else text)
        repairs = ("JSON taken out of its code fence", *repairs) if fenced else repairs
        try:
            value = json.loads(mended)
        except ValueError as err:
            raise Reject("malformed_request", f"{err}") from None
        return value, repairs
    return value, ()


def parse_envelope(text: str) -> tuple[dict[str, Json], tuple[str, ...]]:
    """The arguments of a patch given as JSON text: a bare list or op is its `ops`."""
    value, said = parse_json(text)
    return value if isinstance(value, dict) and "op" not in value else {"ops": value}, said


def normalise_patch(args: Mapping[str, Json]) -> tuple[dict[str, Json], tuple[str, ...]]:
    """A patch's arguments with `ops` as a list of objects, and what was normalised."""
    out, said = dict(args), []
    if "ops" not in out and "op" in out:
        out = {key: value for key, value in args.items() if key in _ENVELOPE}
        out["ops"] = [{key: value for key, value in args.items() if key not in _ENVELOPE}]
        said.append("one op at the top level: taken as `ops`")
    ops = out.get("ops")
    if isinstance(ops, str):
        ops, mended = parse_json(ops)
        said += ["ops was a JSON string", *mended]
    if isinstance(ops, dict):
        ops = [ops]
        said.append("ops was a single op, not a list")
    if ops is not None and not isinstance(ops, list):
        raise Reject("malformed_patch", f"ops is {type(ops).__name__}, wanted a list of objects")
    rows: list[Json] = []
    prefer: list[str] = []
    for number, op in enumerate(ops or [], 1):
        if isinstance(op, str):
            try:
                op, mended = parse_json(op)
            except Reject:
                detail = f"op {number} is a text, and not that of an object"
                raise Reject("malformed_patch", detail, op=number) from None
            said += [f"op {number} was a JSON string", *mended]
        if not isinstance(op, dict):
            raise Reject("malformed_patch", f"op {number} is no object", op=number)
        shaped, words = shape_op(op)
        row, more, imports = mend_op(shaped)
        said += words if len(ops or []) == 1 else [f"op {number}: {word}" for word in words]
        said += more if len(ops or []) == 1 else [f"op {number}: {word}" for word in more]
        prefer += imports
        rows.append(row)
    given = out.get("prefer_imports")
    if prefer and (given is None or isinstance(given, list)):
        out["prefer_imports"] = [*(given or []), *prefer]
    return {**out, "ops": rows} if ops is not None else out, tuple(said)


def parse_request(model: type[R], args: Mapping[str, Json]) -> R:
    """The arguments as a request; unknown names are refused with the near one."""
    known = sorted(model.model_fields)
    for name in args:
        if name not in known:
            near = near_arguments(name, known)
            detail = f"{name}: not an argument here; arguments are {', '.join(known)}"
            raise Reject("unknown_argument", detail, did_you_mean=near, facts={"argument": name})
    try:
        return model.model_validate(dict(args))
    except ValidationError as err:
        first = err.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Reject("unknown_argument", f"{where}: {first['msg']}") from None


def refuse_nul(args: Json) -> None:
    """Reject malformed_request for a NUL in any text: no path and no Go source can hold one."""
    if isinstance(args, str) and "\0" in args:
        raise Reject("malformed_request", f"a NUL character in {args[:40]!r}")
    if isinstance(args, dict | list):
        for item in args.values() if isinstance(args, dict) else args:
            refuse_nul(item)


def _mend(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with what is nearly JSON made JSON, and a word on each kind of mending."""
    said: dict[str, None] = {}

    def mend(token: re.Match[str]) -> str:
        if token["comma"]:
            said["trailing comma dropped"] = None
            return ""
        content = token["double"] if token["double"] is not None else token["single"]
        if token["single"] is not None:
            said["single quotes taken as double"] = None
            content = content.replace('"', '\\"').replace("\\'", "'")
        escaped = _CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], content)
        if escaped != content:
            said["literal line break or tab in a string escaped"] = None
        return f'"{escaped}"'

    return _TOKEN.sub(mend, text), tuple(said)
