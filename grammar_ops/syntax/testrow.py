"""Rows of test tables: written as the rows beside them, changed field by field, taken out.

Invariant: a row's other values, its comments and its layout stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.near import near_names
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, literals, nodes
from grammar_ops.syntax.errortext import quote
from grammar_ops.syntax.fragment import check_expr
from grammar_ops.syntax.layout import line_indent
from grammar_ops.syntax.lists import Item, read_list, rewrite_list
from grammar_ops.syntax.rewrite import Rewrite
from grammar_ops.syntax.testtable import Row, Table, find_part

register(
    "grammar",
    {"case_value_count_mismatch": "the values given are not as many as the fields of a row"},
)

_WANTED = re.compile(r"(want|expect|exp([A-Z_]|$)|err([A-Z_]|$)|out([A-Z_]|$)|should)")


class CaseValues(NamedTuple):
    """What a caller gives for a row: by place (inputs, then outcomes), or by field."""

    args: Sequence[str] | None
    want: Sequence[str] | None
    fields: Mapping[str, str]


def all_values(scope: Scope, table: Table, given: CaseValues) -> dict[str, str]:
    """The values of a new row by field; Reject(case_value_count_mismatch) lists the fields."""
    names = [field.name for field in table.others]
    by_place = [*(given.args or ()), *(given.want or ())]
    if not given.fields or by_place:
        if len(by_place) != len(names):
            raise _mismatch(len(by_place), names)
        return _checked(scope, dict(zip(names, by_place, strict=True)))
    return _checked(scope, _by_field(given.fields, names))


def changed_values(scope: Scope, table: Table, given: CaseValues) -> dict[str, str]:
    """The values of a row that change; inputs alone, or outcomes alone, may be given."""
    names = [field.name for field in table.others]
    found = _by_field(given.fields, names)
    if given.args is not None and given.want is not None:
        found |= all_values(scope, table, given._replace(fields={}))
    elif given.args is not None or given.want is not None:
        wanted = given.args is None
        half = [name for name in names if bool(_WANTED.match(name)) == wanted]
        values = given.want if wanted else given.args
        if values is None or len(values) != len(half):
            raise _mismatch(len(values or ()), half)
        found |= dict(zip(half, values, strict=True))
    return _checked(scope, found)


def _by_field(fields: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    for name in fields:
        if name not in names:
            near = near_names(name, names) or tuple(names)
            raise Reject("case_value_count_mismatch", f"no field {name}", did_you_mean=near)
    return dict(fields)


def _mismatch(count: int, names: Sequence[str]) -> Reject:
    wanted = f"{len(names)} values are wanted ({', '.join(names)}), {count} given"
    return Reject("case_value_count_mismatch", wanted)


def _checked(scope: Scope, values: Mapping[str, str]) -> dict[str, str]:
    return {name: _value(scope, name, text) for name, text in values.items()}


def _value(scope: Scope, name: str, text: str) -> str:
    # A value may leave out its type, as the elements of literals do.
    if text.strip().startswith("{"):
        check_expr(scope, f"T{text.strip()}", name)
        return text.strip()
    return check_expr(scope, text, name).text


def row_text(table: Table, src: bytes, name: str, values: Mapping[str, str], indent: str) -> str:
    """A row of a name and values, laid out as the last one is."""
    last = table.rows[-1] if table.rows else None
    parts = last.parts if last else []
    keyed = not parts or parts[0].key is not None or len(values) < len(table.others)
    texts = []
    for field in table.fields:
        value = quote(name) if field.name == table.label else values.get(field.name)
        if value is not None:
            texts.append(f"{field.name}: {value}" if keyed else value)
    head = ""
    if last is not None:
        head = src[last.element.value.start_byte : last.body.start_byte].decode()
    if last is not None and parts and docs.begins_line(src, parts[0].node.start_byte):
        inner = "".join(f"\n{indent}\t{text}," for text in texts)
        body = f"{head}{{{inner}\n{indent}}}"
    else:
        body = f"{head}{{{', '.join(texts)}}}"
    return body if table.label else f"{quote(name)}: {body}"


def insertion(table: Table, src: bytes, name: str, values: Mapping[str, str]) -> list[Edit]:
    """The edits that put a new row behind the others."""
    elements = [element.node for element in literals.list_elements(table.body)]
    closing = table.body.children[-1]
    if elements:
        indent = line_indent(src, elements[-1].start_byte)
        text = row_text(table, src, name, values, indent)
        return _relisted(table, table.body, src, [*_kept(len(elements)), Item(None, text)])
    indent = line_indent(src, closing.start_byte)
    text = row_text(table, src, name, values, f"{indent}\t")
    at = closing.start_byte
    if docs.begins_line(src, at):
        at = docs.line_start(src, at)
        return [Edit(table.path, Span(at, at), f"{indent}\t{text},\n".encode())]
    return [Edit(table.path, Span(at, at), f"\n{indent}\t{text},\n{indent}".encode())]


def _kept(count: int) -> list[Item]:
    return [Item(index) for index in range(count)]


def _relisted(table: Table, body: Node, src: bytes, items: Sequence[Item]) -> list[Edit]:
    """The edits that make `items` the elements of a literal."""
    rewrite = Rewrite(table.path, src)
    listed = read_list(src, body.children[0], body.children[-1])
    rewrite_list(rewrite, listed, items)
    return rewrite.edits


def changes(table: Table, row: Row, src: bytes, name: str, values: Mapping[str, str]) -> list[Edit]:
    """The edits that give a row another name and other values."""
    edits = []
    if name and row.label is not None:
        edits.append(Edit(table.path, nodes.span_of(row.label), quote(name).encode()))
    added = []
    for number, field in enumerate(table.fields):
        if field.name not in values:
            continue
        found = find_part(row.body, table.fields, field.name, src)
        if found is not None:
            new = values[field.name].encode()
            edits.append(Edit(table.path, nodes.span_of(found), new))
        else:
            added.append((number, f"{field.name}: {values[field.name]}"))
    if added:
        edits += _relisted(table, row.body, src, _in_order(table, row, src, added))
    return edits


def _in_order(table: Table, row: Row, src: bytes, added: Sequence[tuple[int, str]]) -> list[Item]:
    """The values of a row, each new one behind all whose fields come before its own."""
    names = [field.name for field in table.fields]
    keys = [nodes.text_of(src, part.key) if part.key is not None else "" for part in row.parts]
    numbers = [names.index(key) if key in names else -1 for key in keys]
    items = _kept(len(keys))
    for number, text in added:
        before = [at for at, known in enumerate(numbers) if known < number]
        at = before[-1] + 1 if before else 0
        numbers.insert(at, number)
        items.insert(at, Item(None, text))
    return items


def removal(table: Table, row: Row, src: bytes) -> list[Edit]:
    """The edits that take a row out, with its comma and the comments that touch it."""
    elements = [element.node for element in literals.list_elements(table.body)]
    kept = [Item(index) for index, node in enumerate(elements) if node != row.element.node]
    return _relisted(table, table.body, src, kept)
