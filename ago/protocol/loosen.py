"""Argument values that are nearly of the type that is wanted, made of it.

Invariant: a value is changed only where it has one meaning in the wanted type; what was changed is
said; what has none is left for the strict decoding to refuse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from grammar_ops.reject import Json

_YES, _NO = frozenset({"true", "yes", "1", "on"}), frozenset({"false", "no", "0", "off", ""})
_OPENING, _CLOSING = "([{", ")]}"
_HANDLE = re.compile(r"(?:handle|node|at)?\s*[nN]?(\d+)((?:\.[a-z]+(?:\[\d+\])?)*):?", re.ASCII)
_REF = re.compile(r"\$\{(\d+)\}|\$\((\d+)\)|<\$?(\d+)>|\$op(\d+)")
_IMPORT = re.compile(r'(?:(?P<name>[\w.]+)\s+)?"?(?P<path>[\w.\-/~]+)"?')
_LINES = frozenset({"body", "text"})
"""Arguments that hold lines, so that a list of strings is one text."""
_PLACES = {
    "above": "before", "ahead": "before", "below": "after", "behind": "after", "start": "first",
    "top": "first", "beginning": "first", "begin": "first", "end": "last", "bottom": "last",
}  # fmt: skip
"""Other words for places."""
_BODY_NAMES = frozenset({"body", "block", "n0", "{"})


def loosen(fields: Mapping[str, FieldInfo], args: Mapping[str, Json]) -> tuple[
    dict[str, Json], tuple[str, ...]
]:  # fmt: skip
    """The arguments with their values in the types of the fields, and a word on each change."""
    out: dict[str, Json] = {}
    said: list[str] = []
    by_name = {info.alias or name: info for name, info in fields.items()}
    for name, value in args.items():
        info = fields.get(name) or by_name.get(name)
        if value is None:
            said.append(f"{name} was null: left out")
            continue
        if info is None:
            out[name] = value
            continue
        out[name] = loose = _loosened(name, info, value)
        if loose != value or type(loose) is not type(value):
            said.append(f"{name} was {_shown(value)}: taken as {_shown(loose)}")
    return out, tuple(said)


def split_list(text: str) -> list[str]:
    """A text split at the commas outside of brackets and literals."""
    parts, depth, start, quote = [], 0, 0, ""
    skip = False
    for at, letter in enumerate(text):
        if skip:
            skip = False
        elif quote:
            skip = letter == "\\" and quote != "`"
            quote = "" if letter == quote else quote
        elif letter in "\"'`":
            quote = letter
        elif letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
        elif letter == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _loosened(name: str, info: FieldInfo, value: Json) -> Json:
    wanted = _plain(info.annotation)
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    if wanted is bool:
        return _as_bool(value)
    if wanted is int:
        return _as_int(value)
    if "pattern" in extra:
        return _as_handle(value)
    if wanted is str:
        words = extra.get("enum")
        text = _as_text(value, lines=name in _LINES)
        return _as_word(text, words if isinstance(words, list) else [])
    if get_origin(wanted) is list:
        return _as_list(value, _plain(get_args(wanted)[0]))
    if get_origin(wanted) is dict:
        return _as_map(value)
    return _as_text(value, lines=False)


def _plain(annotation: Any) -> Any:
    """The type under `Annotated` and beside `None`."""
    while get_origin(annotation) in (Annotated, Union, UnionType):
        annotation = next(a for a in get_args(annotation) if a is not type(None))
    return annotation


def _as_bool(value: Json) -> Json:
    word = str(value).lower()
    if isinstance(value, bool) or word not in _YES | _NO:
        return value
    return word in _YES


def _as_int(value: Json) -> Json:
    if isinstance(value, str) and re.fullmatch(r"#?\d+", value.strip()):
        return int(value.strip().removeprefix("#"))
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_handle(value: Json) -> Json:
    text = str(value).strip() if isinstance(value, int | str) and value is not True else value
    if not isinstance(text, str) or not text:
        return value
    if text in _BODY_NAMES:
        return "n0"
    if ref := _REF.fullmatch(text):
        return f"${next(filter(None, ref.groups()))}"
    found = _HANDLE.fullmatch(text)
    return f"n{found[1]}{found[2]}" if found else value


def _as_text(value: Json, *, lines: bool) -> Json:
    if isinstance(value, list) and all(isinstance(item, str) for item in value) and value:
        if len(value) == 1:
            return value[0]
        return "\n".join(map(str, value)) if lines else value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return value


def _as_word(value: Json, words: list[Any]) -> Json:
    """One of the words, whatever its case."""
    if not words or not isinstance(value, str):
        return value
    low = value.strip().lower()
    return next((word for word in words if word in (low, _PLACES.get(low))), value)


def _as_list(value: Json, of: Any) -> Json:
    parsed = _parsed(value)
    if isinstance(parsed, dict):
        # A map may stand for a list of `name=value`; that the field itself knows.
        return [parsed] if of not in (str, list) else parsed
    if isinstance(parsed, list):
        items: list[Json] = parsed
    elif isinstance(value, str) and get_origin(of) is not list:
        items = [*split_list(value)] if of is str else [value]
    else:
        items = [value]
    if of is str:
        return [_as_text(item, lines=False) for item in items]
    return [
        _as_import(item) if "path" in getattr(of, "model_fields", ()) else item for item in items
    ]


def _as_import(item: Json) -> Json:
    """`alias "path"`, or a path alone, as the object that it stands for."""
    found = _IMPORT.fullmatch(item.strip()) if isinstance(item, str) else None
    if found is None:
        return item
    return {"path": found["path"], **({"name": found["name"]} if found["name"] else {})}


def _as_map(value: Json) -> Json:
    parsed = _parsed(value)
    if isinstance(parsed, dict):
        return {key: _as_text(item, lines=False) for key, item in parsed.items()}
    return value


def _parsed(value: Json) -> Json:
    """The list or map that a JSON text holds; any other value as it is."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        found: Json = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, list | dict) else value


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:39]}…"
