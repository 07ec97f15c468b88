"""JSON with comments, edited in place: members and items added, replaced and dropped by splices.

Invariant: bytes outside of what is spliced stay; what is read is read by the standard library, from
a copy of the same length in which comments, trailing commas and a byte order mark are blanks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from grammar_ops.reject import Json

BOM = "\ufeff"

_STRING = r'("(?:[^"\\]|\\.)*")'
_COMMENT = re.compile(_STRING + r"|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING = re.compile(_STRING + r"|,(?=\s*[}\]])")
_SPACE = re.compile(r"\s*")
_DECODE = json.JSONDecoder().raw_decode


class _Entry(NamedTuple):
    """A member of an object, or an item of a list: where it starts, its value starts and ends."""

    key: str | None
    start: int
    value: int
    end: int


def load(text: str) -> Json:
    """The value of a document, None for an empty one; raises ValueError."""
    plain = _plain(text)
    value: Json = json.loads(plain) if plain.strip() else None
    return value


def find(text: str, path: Sequence[str]) -> Json:
    """The value at a path of member names, None where there is none; raises ValueError."""
    value = load(text)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def set_member(text: str, path: Sequence[str], value: Json) -> str:
    """`text` with `value` at `path`, objects on the way made; raises ValueError."""
    if not _plain(text).strip():
        return text + _layout(_nest(path, value), "  ") + "\n"
    at, depth, entry = _walk(text, path)
    if entry is None:
        return _insert(text, at, path[depth], _nest(path[depth + 1 :], value))
    if _DECODE(_plain(text), entry.value)[0] == value:
        return text
    lead = _indent(text, entry.start)
    return text[: entry.value] + _dump(text, value, lead) + text[entry.end :]


def drop_member(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`, and without the objects on the way that it leaves empty.

    The document itself stays; raises ValueError.
    """
    if not _plain(text).strip():
        return text
    at, depth, entry = _walk(text, path)
    if entry is None or depth < len(path) - 1:
        return text
    return _prune(_remove(text, at, entry), path[:-1])


def put_item(text: str, path: Sequence[str], item: Json, is_ours: Callable[[Json], bool]) -> str:
    """`text` with `item` in the list at `path`, in the place of one that `is_ours`."""
    items = find(text, path)
    if not isinstance(items, list):
        return set_member(text, path, [item])
    at = _walk(text, path)[2].value  # type: ignore[union-attr]
    for entry, found in zip(_entries(_plain(text), at)[0], items, strict=True):
        if is_ours(found):
            new = _dump(text, item, _indent(text, entry.start))
            return text if found == item else text[: entry.value] + new + text[entry.end :]
    return _insert(text, at, None, item)


def drop_items(text: str, path: Sequence[str], is_ours: Callable[[Json], bool]) -> str:
    """`text` without the items of the list at `path` that are ours, nor a list left empty."""
    items = find(text, path)
    if not isinstance(items, list):
        return text
    at = _walk(text, path)[2].value  # type: ignore[union-attr]
    entries = _entries(_plain(text), at)[0]
    ours = [entry for entry, item in zip(entries, items, strict=True) if is_ours(item)]
    for entry in reversed(ours):
        text = _remove(text, at, entry)
    return _prune(text, path) if ours else text


def _prune(text: str, path: Sequence[str]) -> str:
    """`text` without the members along `path`, from its end, that hold nothing."""
    for length in range(len(path), 0, -1):
        at, _, entry = _walk(text, path[:length])
        if entry is None or text[entry.value + 1 : entry.end - 1].strip():
            break
        text = _remove(text, at, entry)
    return text


def _plain(text: str) -> str:
    """`text` as JSON proper, of the same length."""
    return _TRAILING.sub(lambda m: m[1] or " ", _uncommented(text))


def _uncommented(text: str) -> str:
    if text.startswith(BOM):
        text = " " + text[1:]
    return _COMMENT.sub(lambda m: m[1] or re.sub(r"[^\r\n]", " ", m[0]), text)


def _nest(path: Sequence[str], value: Json) -> Json:
    for key in reversed(path):
        value = {key: value}
    return value


def _walk(text: str, path: Sequence[str]) -> tuple[int, int, _Entry | None]:
    """(container, depth, member): the member at `path`, or None with where its first part lacks."""
    plain = _plain(text)
    json.loads(plain)
    at = _skip(plain, 0)
    for depth, key in enumerate(path):
        if plain[at] != "{":
            raise ValueError(f"{'.'.join(path[:depth]) or 'the document'} is no object")
        found = [entry for entry in _entries(plain, at)[0] if entry.key == key]
        if not found or depth == len(path) - 1:
            return at, depth, found[-1] if found else None
        at = found[-1].value
    raise ValueError("an empty path")


def _entries(plain: str, at: int) -> tuple[list[_Entry], int]:
    """The entries of the container that opens at `at`, and where it closes."""
    entries, keyed = [], plain[at] == "{"
    place = _skip(plain, at + 1)
    while plain[place] not in "}]":
        start, key = place, None
        if keyed:
            key, place = _DECODE(plain, place)
            place = _skip(plain, _skip(plain, place) + 1)
        end = _DECODE(plain, place)[1]
        entries.append(_Entry(key, start, place, end))
        place = _skip(plain, end)
        if plain[place] == ",":
            place = _skip(plain, place + 1)
    return entries, place


def _skip(plain: str, at: int) -> int:
    return _SPACE.match(plain, at).end()  # type: ignore[union-attr]


def _insert(text: str, at: int, key: str | None, value: Json) -> str:
    """`text` with one more entry at the end of the container that opens at `at`."""
    entries, close = _entries(_plain(text), at)
    newline = _newline(text)
    solid = len(text[:close].rstrip())  # behind the last entry and what is remarked on it
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if entries and "\n" not in text[at:close]:
        inline = name + json.dumps(value, ensure_ascii=False)
        return text[: entries[-1].end] + ", " + inline + text[entries[-1].end :]
    outer = _indent(text, at)
    lead = _indent(text, entries[-1].start) if entries else outer + _unit(text)
    entry = newline + lead + name + _dump(text, value, lead)
    if not entries:
        return text[:solid] + entry + newline + outer + text[close:]
    last = entries[-1].end
    if "," in _uncommented(text)[last:close]:
        return text[:solid] + entry + "," + text[solid:]
    return text[:last] + "," + text[last:solid] + entry + text[solid:]


def _remove(text: str, at: int, entry: _Entry) -> str:
    """`text` without one entry of the container that opens at `at`, the inverse of _insert."""
    entries, close = _entries(_plain(text), at)
    index = entries.index(entry)
    commas = _uncommented(text)
    start, end = len(text[: entry.start].rstrip()), entry.end
    behind = entries[index + 1].start if index + 1 < len(entries) else close
    follows = commas.find(",", end, behind)
    if follows >= 0:
        end = follows + 1
    elif index:
        before = commas.index(",", entries[index - 1].end)
        return text[:before] + text[before + 1 : max(start, before + 1)] + text[end:]
    if len(entries) == 1 and not text[at + 1 : start].strip() and not text[end:close].strip():
        return text[: at + 1] + text[close:]
    return text[:start] + text[end:]


def _dump(text: str, value: Json, lead: str) -> str:
    return _layout(value, _unit(text), lead).replace("\n", _newline(text))


def _layout(value: Json, unit: str, lead: str = "") -> str:
    """A value as JSON: objects a member a line, lists of plain values on one line."""
    inner = lead + unit
    if isinstance(value, dict) and value:
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: {_layout(member, unit, inner)}"
            for key, member in value.items()
        ]
        return "{\n" + ",\n".join(inner + row for row in rows) + f"\n{lead}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        rows = [inner + _layout(item, unit, inner) for item in value]
        return "[\n" + ",\n".join(rows) + f"\n{lead}]"
    return json.dumps(value, ensure_ascii=False)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str, at: int) -> str:
    """The white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at + 1]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """One step of indentation, as the document has it."""
    found = re.search(r"^([ \t]+)\S", _uncommented(text), re.MULTILINE)
    return found[1] if found else "  "
