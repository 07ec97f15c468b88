"""Expression slots of a node by go/ast's names, and what the place of a slot asks of its text.

Invariant: slot names are go/ast's in lower case; a comment is never a slot.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from grammar_ops.syntax.nodes import (
    ASSIGN,
    BINARY,
    BRACKETED,
    CALL,
    CLAUSES,
    COMPOSITE,
    EXPR_CASE,
    EXPR_STMT,
    FOR,
    FUNC_LIT,
    IF,
    PAREN,
    SELECTOR,
    SHORT_VAR,
    SPEC_DECLS,
    SWITCHES,
    TYPE_CASE,
    UNARY,
    elements,
    find_body,
    find_else,
    find_field,
    find_header,
    is_block,
    list_specs,
)  # fmt: skip

_TRANSPARENT = frozenset({"literal_element", "variadic_argument"})

# Per kind: (slot, field). A slot ending in [] numbers its elements; the field "" is the one child.
_SLOTS: dict[str, tuple[tuple[str, str], ...]] = {
    EXPR_STMT: (("x", ""),),
    ASSIGN: (("lhs[]", "left"), ("rhs[]", "right")),
    SHORT_VAR: (("lhs[]", "left"), ("rhs[]", "right")),
    "receive_statement": (("lhs[]", "left"), ("rhs[]", "right")),
    "inc_statement": (("x", ""),),
    "dec_statement": (("x", ""),),
    "return_statement": (("results[]", ""),),
    "go_statement": (("call", ""),),
    "defer_statement": (("call", ""),),
    "send_statement": (("chan", "channel"), ("value", "value")),
    IF: (("init", "initializer"), ("cond", "condition")),
    "expression_switch_statement": (("init", "initializer"), ("tag", "value")),
    "type_switch_statement": (("init", "initializer"), ("x", "value")),
    EXPR_CASE: (("list[]", "value"),),
    "communication_case": (("comm", "communication"),),
    "var_spec": (("type", "type"), ("values[]", "value")),
    "const_spec": (("type", "type"), ("values[]", "value")),
    CALL: (("fun", "function"), ("args[]", "arguments")),
    "type_conversion_expression": (("fun", "type"), ("args[0]", "operand")),
    BINARY: (("x", "left"), ("y", "right")),
    UNARY: (("x", "operand"),),
    SELECTOR: (("x", "operand"),),
    "index_expression": (("x", "operand"), ("index", "index")),
    "slice_expression": (("x", "operand"), ("low", "start"), ("high", "end"), ("max", "capacity")),
    "type_assertion_expression": (("x", "operand"), ("type", "type")),
    COMPOSITE: (("type", "type"), ("elts[]", "body")),
    "literal_value": (("elts[]", "@"),),
    "keyed_element": (("key", "key"), ("value", "value")),
    PAREN: (("x", ""),),
}


_PRECEDENCE = {
    "||": 1, "&&": 2,
    "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3,
    "+": 4, "-": 4, "|": 4, "^": 4,
    "*": 5, "/": 5, "%": 5, "<<": 5, ">>": 5, "&": 5, "&^": 5,
}  # fmt: skip


def list_slots(node: Node) -> Iterator[tuple[str, Node]]:
    """The expression slots directly under a node, in source order, as (name, node)."""
    if node.type == FOR:
        yield from _for_slots(node)
        return
    if node.type == TYPE_CASE:
        types = [c for c in node.children_by_field_name("type") if c.is_named]
        yield from ((f"list[{i}]", c) for i, c in enumerate(types))
        return
    if node.type in SPEC_DECLS:
        yield from _spec_slots(node)
        return
    for slot, name in _SLOTS.get(node.type, ()):
        found = _slot_node(node, name)
        if found is None:
            continue
        if slot.endswith("[]"):
            for index, element in enumerate(_list_elements(found)):
                yield f"{slot[:-1]}{index}]", element
        else:
            yield slot, _unwrap(found)


_EXPRS, _ARGS, _LITERAL = "expression_list", "argument_list", "literal_value"


def find_whole(node: Node, name: str) -> Node | None:
    """The list whose elements are the slots `name[i]` of a node."""
    specs = list_specs(node) if node.type in SPEC_DECLS else []
    if len(specs) == 1:
        return find_whole(specs[0], name)
    fields = [of for slot, of in _SLOTS.get(node.type, ()) if slot == f"{name}[]"]
    found = _slot_node(node, fields[0]) if fields else None
    return found if found is not None and found.type in (_EXPRS, _ARGS, _LITERAL) else None


def list_brackets(slot: Node) -> str | None:
    """The brackets of a slot that is a whole list, "" for bare ones; None for another slot."""
    return {_EXPRS: "", _ARGS: "()", _LITERAL: "{}"}.get(slot.type)


def is_element(slot: Node) -> bool:
    """Whether a slot is an element of a literal, or the key or value of one."""
    parent = slot.parent
    return slot.type == "keyed_element" or (parent is not None and parent.type in _TRANSPARENT)


def _slot_node(node: Node, name: str) -> Node | None:
    if name == "@":
        return node
    return find_field(node, name) if name else next(iter(elements(node)), None)


def _list_elements(node: Node) -> list[Node]:
    if node.type in (_EXPRS, _ARGS, _LITERAL):
        return [_unwrap(c) for c in elements(node)]
    return [_unwrap(node)]


def _unwrap(node: Node) -> Node:
    while node.type in _TRANSPARENT:
        node = elements(node)[0]
    return node


def _for_slots(node: Node) -> Iterator[tuple[str, Node]]:
    head = find_header(node)
    if head is None:
        return
    if head.type == "for_clause":
        for slot, name in (("init", "initializer"), ("cond", "condition"), ("post", "update")):
            found = find_field(head, name)
            if found is not None:
                yield slot, found
    elif head.type == "range_clause":
        left = find_field(head, "left")
        names = zip(("key", "value"), elements(left) if left else [], strict=False)
        yield from names
        right = find_field(head, "right")
        if right is not None:
            yield "x", right
    else:
        yield "cond", head


def _spec_slots(node: Node) -> Iterator[tuple[str, Node]]:
    specs = list_specs(node)
    if len(specs) == 1:
        yield from list_slots(specs[0])
    else:
        yield from ((f"specs[{i}]", spec) for i, spec in enumerate(specs))


def list_blocks(node: Node) -> dict[str, Node]:
    """The blocks of a statement by go/ast's names: `body`, and `else` (a block or an else-if)."""
    body = find_body(node) if node.type in (IF, FOR, FUNC_LIT) else None
    found = {"body": body, "else": find_else(node)}
    return {name: block for name, block in found.items() if block is not None}


def operator_of(node: Node) -> str:
    """The operator of a binary or unary expression, an assignment or an inc/dec."""
    found = find_field(node, "operator")
    return found.type if found is not None else ""


def precedence_of(node: Node) -> int:
    """How tightly a binary expression binds, 1 to 5."""
    return _PRECEDENCE.get(operator_of(node), 5)


def is_call(node: Node) -> bool:
    """Whether the node is a call; the grammar takes `f[T](x)` for a conversion."""
    return node.type in (CALL, "type_conversion_expression")


def is_receive(node: Node) -> bool:
    """Whether the node receives from a channel."""
    return node.type == UNARY and operator_of(node) == "<-"


def in_header(node: Node) -> bool:
    """Whether a node stands bare in the header of an if, for or switch."""
    child, parent = node, node.parent
    while parent is not None and parent.type not in BRACKETED and not is_block(parent):
        if parent.type in (IF, FOR) or parent.type in SWITCHES:
            return child.type not in CLAUSES and not is_block(child)
        child, parent = parent, parent.parent
    return False


_OPERAND_FIELDS = {
    BINARY: ("left", "right"),
    UNARY: ("operand",),
    SELECTOR: ("operand",),
    "index_expression": ("operand",),
    "slice_expression": ("operand",),
    "type_assertion_expression": ("operand",),
    "type_switch_statement": ("value",),
    "type_conversion_expression": ("type",),
    CALL: ("function",),
}


def is_operand(slot: Node) -> bool:
    """Whether what surrounds the slot binds to it: an operator, a selector, an index, a call."""
    parent = slot.parent
    fields = _OPERAND_FIELDS.get(parent.type, ()) if parent is not None else ()
    return any(parent is not None and find_field(parent, name) == slot for name in fields)


_NOT_PRIMARY = frozenset(
    {
        BINARY, UNARY, "int_literal", "float_literal", "imaginary_literal", "pointer_type",
        "function_type", "channel_type",
    }
)  # fmt: skip


def is_primary(node: Node) -> bool:
    """Whether a selector, index or call may follow the expression as it stands."""
    return node.type not in _NOT_PRIMARY


def is_assignment(node: Node, operator: str) -> bool:
    """Whether the statement assigns with `=`, or declares with `:=`."""
    if operator == ":=":
        return node.type == SHORT_VAR
    return node.type == ASSIGN and operator_of(node) == operator


_SIMPLE = frozenset(
    {EXPR_STMT, ASSIGN, SHORT_VAR, "send_statement", "inc_statement", "dec_statement"}
)


def is_simple(node: Node) -> bool:
    """Whether the statement is a simple one, which a header may begin with."""
    return node.type in _SIMPLE


def is_statement_slot(node: Node) -> bool:
    """Whether a slot (init, post, comm) holds a simple statement instead of an expression."""
    return node.type.endswith(("_statement", "_declaration"))


def callee_of(call: Node) -> Node | None:
    """The function of a call, type arguments included where the grammar puts them there."""
    return find_field(call, "type" if call.type == "type_conversion_expression" else "function")


def is_callee_part(node: Node, parent: Node) -> bool:
    """Whether `parent` is still the callee when `node` is: it selects, instantiates, encloses."""
    match parent.type:
        case "selector_expression":
            return find_field(parent, "field") == node
        case "qualified_type":
            return find_field(parent, "name") == node
        case "index_expression":
            return find_field(parent, "operand") == node
        case "generic_type" | "type_instantiation_expression":
            return find_field(parent, "type") == node
    return parent.type in (PAREN, "parenthesized_type")


def named_value(name: Node) -> tuple[Node, Node | None]:
    """The expression that ends with a function's name, and what stands before its dot."""
    parent = name.parent
    if parent is None or parent.type not in (SELECTOR, "qualified_type"):
        return name, None
    operand = find_field(parent, "operand") or find_field(parent, "package")
    return (parent, operand) if is_callee_part(name, parent) else (name, None)


def instantiated(value: Node) -> Node:
    """A function's name with its type arguments, where they are written."""
    parent = value.parent
    kinds = ("index_expression", "type_instantiation_expression")
    if parent is not None and parent.type in kinds and is_callee_part(value, parent):
        return parent
    return value
