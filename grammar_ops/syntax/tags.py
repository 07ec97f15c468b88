"""Tags of struct fields: how they are written, names that encoders read from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from grammar_ops.reject import Finding
from grammar_ops.syntax import nodes
from grammar_ops.syntax.findings import point_at
from grammar_ops.syntax.structs import Struct

_PAIR = re.compile(r'(?:^|[\s`])(json|xml):\\?"([^",\\]+)')
"""The encoders that go vet compares the names for."""

_KEY = re.compile(r'[^\x00-\x20:"\x7f]+')
_VALUE = re.compile(r'"((?:\\[^\n]|[^"\\\n])*)"')


def complain(tag: str) -> str:
    """What go vet says of a tag that reflection can't read all of, "" for nothing."""
    at = 0
    while tag[at:].strip(" "):
        if at and tag[at] != " ":
            return 'key:"value" pairs not separated by spaces'
        key = _KEY.match(tag, len(tag) - len(tag[at:].lstrip(" ")))
        if key is None:
            return "bad syntax for struct tag key"
        if tag[key.end() : key.end() + 1] != ":" or key.end() + 1 == len(tag):
            return "bad syntax for struct tag pair"
        value = _VALUE.match(tag, key.end() + 1)
        if value is None:
            return "bad syntax for struct tag value"
        if key.group() in ("json", "xml") and _is_spaced(key.group(), value.group(1)):
            return "suspicious space in struct tag value"
        at = value.end()
    return ""


def _is_spaced(encoder: str, value: str) -> bool:
    """Whether the value of an encoder's tag has a space where none belongs: the name of a json
    field may have some, that of an xml element one behind its name space."""
    name, comma, options = value.partition(",")
    odd = value != value.strip(" ") or value.count(" ") > 1 or (comma and name.endswith(" "))
    return bool(encoder == "xml" and odd) or " " in options


def list_repeated(src: bytes, struct: Struct, tag: str) -> Iterator[Finding]:
    """The fields that give an encoder the name which a new field's tag gives it: both are left
    out, or one is refused."""
    new = {pair for pair in _PAIR.findall(tag) if pair[1] != "-"}
    for field in struct.fields:
        node = nodes.find_field(field.node, "tag")
        text = nodes.text_of(src, node) if node is not None else ""
        for encoder, name in sorted(new.intersection(_PAIR.findall(text))):
            told = f"{field.name} has the {encoder} name {name}, too"
            at = point_at(src, field.path, field.name_span.start, told)
            yield replace(at, code="tag_repeated")
