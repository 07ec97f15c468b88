"""Tags of struct fields: names that encoders read from them."""

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
