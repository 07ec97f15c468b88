"""Mends of variables: declared and not used, declared twice, assigned and never declared.

Invariant: what is assigned is evaluated as before; only the name goes.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ago.checker.checker import Diagnostic
from ago.patch.mends.sight import Change, Mend, RawOp, Sight
from grammar_ops.syntax import nodes

_STATEMENTS = (nodes.SHORT_VAR, nodes.ASSIGN, "range_clause", "var_spec", nodes.TYPE_SWITCH)


def drop_unused(found: Diagnostic, name: str, sight: Sight) -> Iterator[Mend]:
    """`_` in the place of the name, or nothing where nothing else depends on the statement."""
    ident = sight.node(found.file, found.offset, found.offset + len(name.encode()))
    statement = _around(ident, _STATEMENTS)
    if ident is None or statement is None:
        return
    why = f"{name} is not used"
    if statement.type == "var_spec":
        value = nodes.find_field(statement, "value")
        whole = statement.parent if statement.parent is not None else statement
        alone = (
            len(nodes.elements(whole)) == 1 and len(statement.children_by_field_name("name")) == 1
        )
        if value is None and alone:
            yield _mend(why, found.file, whole.start_byte, whole.end_byte, "")
        else:
            yield _mend(why, found.file, ident.start_byte, ident.end_byte, "_")
        return
    if statement.type == nodes.TYPE_SWITCH:
        alias = nodes.find_field(statement, "alias")
        value = nodes.find_field(statement, "value")
        if alias is not None and value is not None:
            yield _mend(why, found.file, alias.start_byte, value.start_byte, "")
        return
    left = nodes.find_field(statement, "left")
    right = nodes.find_field(statement, "right")
    if left is None or right is None:
        return
    others = [n for n in nodes.elements(left) if n.id != ident.id]
    alone = all(sight.written(found.file, other) == "_" for other in others)
    if statement.type == "range_clause" and alone:
        yield _mend(why, found.file, left.start_byte, _range_at(statement, right), "")
    elif statement.type == nodes.SHORT_VAR and alone:
        blanks = ", ".join("_" for _ in (*others, ident))
        token = nodes.find_token(statement, ":=") or right
        yield _mend(why, found.file, left.start_byte, token.end_byte, f"{blanks} =")
    else:
        yield _mend(why, found.file, ident.start_byte, ident.end_byte, "_")
    yield from _beside(found, ident, left, right, sight, alone=alone)


def declare_or_assign(found: Diagnostic, name: str, sight: Sight) -> Iterator[Mend]:
    """`:=` for the `=` of names that nothing declares."""
    ident = sight.node(found.file, found.offset, found.offset + len(name.encode()))
    statement = _around(ident, (nodes.ASSIGN,))
    left = nodes.find_field(statement, "left") if statement is not None else None
    token = nodes.find_token(statement, "=") if statement is not None else None
    if ident is None or left is None or token is None or ident.end_byte > left.end_byte:
        return
    if all(element.type == nodes.IDENTIFIER for element in nodes.elements(left)):
        change = Change(found.file, token.start_byte, token.end_byte, ":=")
        yield Mend(f"declares {name}", (change,), settles=True)


def assign_only(found: Diagnostic, sight: Sight) -> Iterator[Mend]:
    """`=` for the `:=` of names that are all declared."""
    if sight.text(found.file)[found.offset : found.offset + 2] == b":=":
        yield _mend("all names are declared", found.file, found.offset, found.offset + 2, "=")


def _beside(
    found: Diagnostic, ident: Node, left: Node, right: Node, sight: Sight, *, alone: bool
) -> Iterator[Mend]:
    """The same in a statement that the request did not write, as ops on it."""
    at = sight.handled(found.file, ident.start_byte)
    if at is None:
        return
    why = f"{sight.written(found.file, ident)} is not used any more"
    index = next(n for n, node in enumerate(nodes.elements(left)) if node.id == ident.id)
    here: RawOp = {"pkg": at.pkg, "sym": at.sym}
    if not alone:
        slot = f"{at.handle}.lhs[{index}]"
        yield Mend(why, (), ({"op": "replace_expr", **here, "at": slot, "expr": "_"},))
        return
    drop: RawOp = {"op": "delete_node", **here, "at": at.handle}
    if any(node.type == nodes.CALL for node in nodes.descendants(right)):
        keep: RawOp = {
            "op": "add_assign", **here, "at": at.handle, "where": "before",
            "lhs": ", ".join("_" for _ in nodes.elements(left)),
            "rhs": sight.written(found.file, right),
        }  # fmt: skip
        yield Mend(why, (), (keep, drop))
    else:
        yield Mend(why, (), (drop,))


def _range_at(clause: Node, right: Node) -> int:
    token = nodes.find_token(clause, "range")
    return token.start_byte if token is not None else right.start_byte


def _around(node: Node | None, kinds: tuple[str, ...]) -> Node | None:
    """The nearest node around one of these kinds, a function literal between them aside."""
    while node is not None and node.type not in kinds:
        if node.type in (nodes.FUNC_LIT, *nodes.FUNC_DECLS):
            return None
        node = node.parent
    return node


def _mend(why: str, file: str, start: int, end: int, text: str) -> Mend:
    return Mend(why, (Change(file, start, end, text),))
