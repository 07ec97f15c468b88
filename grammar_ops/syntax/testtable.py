"""Test tables: the lists and maps of rows that the loops of a test go through.

Invariant: a table is known by the loop over it; what can't be read as rows with fields and a label
is refused, never half understood.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.near import near_names
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import literals, nodes, slots
from grammar_ops.syntax.decls import Decl, resolve_body
from grammar_ops.syntax.literals import Element, StructField

register(
    "grammar",
    {
        "test_table_not_found": "the test goes through no list or map of rows",
        "test_table_bad_shape": "the rows are no structs with a field, or a key, that names them",
        "several_test_tables": "the test has several tables: say which by `table`",
        "test_case_not_found": "no row of the table has that name",
    },
)

_LABELS = (
    "name", "desc", "description", "title", "scenario", "label", "testname", "casename",
    "test", "case", "id", "key",
)  # fmt: skip


class Row(NamedTuple):
    """One case: its element, its braces, what names it."""

    element: Element
    body: Node
    label: Node | None
    name: str

    @property
    def parts(self) -> list[Element]:
        """The values of the row."""
        return literals.list_elements(self.body)


class Table(NamedTuple):
    """A table: where its literal stands, the fields of its rows, which of them names a row."""

    path: str
    name: str
    """The variable, "" for a literal in the loop itself."""
    body: Node
    fields: list[StructField]
    label: str
    """The field that names a row, "" for a map, whose keys do."""
    rows: list[Row]

    @property
    def others(self) -> list[StructField]:
        """The fields beside the one that names the row."""
        return [field for field in self.fields if field.name != self.label]


def find_table(scope: Scope, pkg: str, test: Decl, name: str) -> Table:
    """The one table of a test, or that of a variable; Reject says what is there instead."""
    tables = list_tables(scope, pkg, test)
    if name:
        named = [table for table in tables if table.name == name]
        if not named:
            near = near_names(name, [table.name for table in tables])
            raise Reject("test_table_not_found", name, did_you_mean=near)
        return named[0]
    if len(tables) > 1:
        names = tuple(table.name for table in tables if table.name)
        raise Reject("several_test_tables", ", ".join(names), did_you_mean=names)
    return tables[0]


def find_row(scope: Scope, pkg: str, test: Decl, case: str, name: str) -> tuple[Table, Row]:
    """The row that a name means, in whichever table of the test; Reject with near names."""
    found = [find_table(scope, pkg, test, name)] if name else list_tables(scope, pkg, test)
    for table in found:
        for row in table.rows:
            if case == row.name:
                return table, row
    names = tuple(row.name for table in found for row in table.rows)
    raise Reject("test_case_not_found", case, did_you_mean=near_names(case, names) or names[:3])


def list_tables(scope: Scope, pkg: str, test: Decl) -> list[Table]:
    """The tables of a test, those that have subtests before the others; Reject for none."""
    body, src = resolve_body(test), scope.source(test.path)
    found: dict[int, tuple[Table, Node]] = {}
    faults: list[Reject] = []
    loops = [node for node in nodes.descendants(body) if node.type == nodes.FOR]
    for loop in sorted(loops, key=lambda loop: _run_label(loop, src) is None):
        parts = dict(slots.list_slots(loop))
        literal = _find_literal(scope, pkg, test, parts["x"]) if "x" in parts else None
        if literal is not None and literal.body.start_byte not in found:
            try:
                table = _read(scope, pkg, test, literal, _run_label(loop, src))
            except Reject as fault:
                faults.append(fault)
            else:
                found[literal.body.start_byte] = table, loop
    # A loop in a function of a row goes through a table of that function's own.
    rows = [nodes.span_of(table.body) for table, _ in found.values() if table.path == test.path]
    with_runs = [
        table for table, loop in found.values()
        if (table.rows or table.label) and not any(r.contains(nodes.span_of(loop)) for r in rows)
    ]  # fmt: skip
    if not with_runs:
        raise faults[0] if faults else Reject("test_table_not_found", test.sym)
    return with_runs


class _Literal(NamedTuple):
    path: str
    name: str
    type: Node
    body: Node


def _find_literal(scope: Scope, pkg: str, test: Decl, ranged: Node) -> _Literal | None:
    """The literal that a loop goes through: in its header, in the test, or in its package."""
    if ranged.type == nodes.COMPOSITE:
        return _literal_of(test.path, "", ranged)
    src = scope.source(test.path)
    name = nodes.text_of(src, ranged)
    if ranged.type != nodes.IDENTIFIER:
        return None
    for node in nodes.descendants(resolve_body(test)):
        for left, right in _assigned(node):
            if nodes.text_of(src, left) == name:
                return _literal_of(test.path, name, right)
    decl = _resolve(scope, pkg, name)
    if decl is None or decl.kind != "var":
        return None
    for left, right in _assigned(decl.node):
        if nodes.text_of(scope.source(decl.path), left) == name:
            return _literal_of(decl.path, name, right)
    return None


def _assigned(node: Node) -> Iterator[tuple[Node, Node]]:
    """(variable, value) of a `:=` and of a variable declaration."""
    if node.type == nodes.SHORT_VAR:
        parts = dict(slots.list_slots(node))
        left = [n for slot, n in parts.items() if slot.startswith("lhs")]
        right = [n for slot, n in parts.items() if slot.startswith("rhs")]
    elif node.type in nodes.SPECS:
        value = nodes.find_field(node, "value")
        left, right = nodes.name_nodes(node), nodes.elements(value) if value else []
    else:
        return
    if len(left) == len(right):
        yield from zip(left, right, strict=True)


def _literal_of(path: str, name: str, literal: Node) -> _Literal | None:
    type_, body = nodes.find_field(literal, "type"), literals.find_body(literal)
    return _Literal(path, name, type_, body) if type_ and body else None


def _resolve(scope: Scope, pkg: str, name: str) -> Decl | None:
    """A declaration of the test's package, or of the package that it tests from inside."""
    try:
        return scope.resolve_decl(pkg, name)
    except Reject:
        return None


def _read(scope: Scope, pkg: str, test: Decl, literal: _Literal, run: str | None) -> Table:
    src = scope.source(literal.path)
    of, path = _underlying(scope, pkg, test, literal.type, literal.path)
    element = literals.element_type(of)
    if element is None:
        raise Reject("test_table_bad_shape", f"{literal.name or 'the literal'} is no list or map")
    row_type, where = _underlying(scope, pkg, test, element, path)
    fields = literals.struct_fields(row_type, scope.source(where))
    if fields is None:
        raise Reject("test_table_bad_shape", f"the rows of {literal.name} are no structs")
    label = "" if literals.is_map(of) else _label(fields, run)
    rows = [
        row for e in literals.list_elements(literal.body) if (row := _row(e, fields, label, src))
    ]
    return Table(literal.path, literal.name, literal.body, fields, label, rows)


def _underlying(scope: Scope, pkg: str, test: Decl, type_: Node, path: str) -> tuple[Node, str]:
    """A type, or what it is declared as: in the test itself, or in the package."""
    named = literals.named_type(type_)
    if named is None:
        return type_, path
    src = scope.source(path)
    name = nodes.text_of(src, named)
    inside = [spec for spec in nodes.descendants(resolve_body(test)) if spec.type in nodes.SPECS]
    local = [s for s in inside if name in [nodes.text_of(src, n) for n in nodes.name_nodes(s)]]
    decl = None if local else _resolve(scope, pkg, name)
    spec = local[0] if local else decl.node if decl is not None else None
    found = nodes.find_field(spec, "type") if spec is not None else None
    if found is None:
        raise Reject("test_table_bad_shape", f"{name} is no type of the package")
    return found, decl.path if decl is not None else path


def _label(fields: list[StructField], run: str | None) -> str:
    """The field that names a row: the one that subtests are called by, else one that looks so."""
    names = {field.name: field for field in fields}
    if run in names and run is not None:
        return run
    texts = [field.name for field in fields if field.type == "string"]
    usual = [name for name in texts if name.lower() in _LABELS]
    if not usual:
        listed = ", ".join(names)
        raise Reject("test_table_bad_shape", f"none of {listed} names a row")
    return usual[0]


def _run_label(loop: Node, src: bytes) -> str | None:
    """The field in `t.Run(row.field, …)` of a loop; "" for another name, None without subtests."""
    for node in nodes.descendants(loop):
        callee = slots.callee_of(node) if slots.is_call(node) else None
        if callee is None or callee.type != nodes.SELECTOR:
            continue
        if nodes.text_of(src, nodes.find_field(callee, "field") or callee) == "Run":
            first = dict(slots.list_slots(node)).get("args[0]")
            named = [n for n in nodes.descendants(first or node) if n.type == nodes.SELECTOR]
            field = nodes.find_field(named[0], "field") if named and first else None
            return nodes.text_of(src, field) if field is not None else ""
    return None


def _row(element: Element, fields: list[StructField], label: str, src: bytes) -> Row | None:
    body = literals.find_body(element.value)
    if body is None:
        return None
    found = element.key if not label else find_part(body, fields, label, src)
    name = ""
    if found is not None:
        name = literals.string_value(found, src) or nodes.text_of(src, found)
    return Row(element, body, found, name)


def find_part(body: Node, fields: list[StructField], name: str, src: bytes) -> Node | None:
    """The value of a field in a row, keyed or by its place."""
    parts = literals.list_elements(body)
    names = [field.name for field in fields]
    for index, part in enumerate(parts):
        if part.key is None and names[index : index + 1] == [name]:
            return part.value
        if part.key is not None and nodes.text_of(src, part.key) == name:
            return part.value
    return None
