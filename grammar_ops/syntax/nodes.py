"""Typed accessors over tree-sitter nodes: with `slots` and `flow`, the only one to name raw kinds.

Invariant: a comment or an error is never an element of any list here.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node, Query, QueryCursor, Tree

from grammar_ops.edit import Span
from grammar_ops.syntax.parse import LANGUAGE

COMMENT = "comment"
IMPORT_DECL = "import_declaration"
PACKAGE_CLAUSE = "package_clause"
FUNC_DECLS = frozenset({"function_declaration", "method_declaration"})
SPEC_DECLS = {"const_declaration": "const", "var_declaration": "var", "type_declaration": "type"}
SPECS = {
    "const_spec": "const", "var_spec": "var", "type_spec": "type", "type_alias": "alias",
}  # fmt: skip
LABELED = "labeled_statement"
IF = "if_statement"
FOR = "for_statement"
EXPR_STMT = "expression_statement"
EXPR_CASE = "expression_case"
TYPE_CASE = "type_case"
CLAUSES = frozenset({EXPR_CASE, TYPE_CASE, "communication_case", "default_case"})
SELECT = "select_statement"
TYPE_SWITCH = "type_switch_statement"
SWITCHES = frozenset({"expression_switch_statement", TYPE_SWITCH, SELECT})
CALL = "call_expression"
BINARY = "binary_expression"
UNARY = "unary_expression"
FUNC_LIT = "func_literal"
SHORT_VAR = "short_var_declaration"
ASSIGN = "assignment_statement"
COMPOSITE = "composite_literal"
SELECTOR = "selector_expression"
PAREN = "parenthesized_expression"
IDENTIFIER = "identifier"
FIELD = "field_declaration"
FUNCTION = "function_declaration"
RETURN = "return_statement"

_BLOCK = "block"
_LIST = "statement_list"
_LISTS = Query(LANGUAGE, f"({_LIST}) @list")
_HANDLED = Query(
    LANGUAGE,
    f"({_LIST} (_) @stmt) ({LABELED} (_) @stmt) ({IF} alternative: (_) @else)"
    f"[{' '.join(f'({clause})' for clause in sorted(CLAUSES))}] @clause",
)
_EXPRS = "expression_list"
_SPEC_LISTS = frozenset({"var_spec_list", "const_spec_list", "type_spec_list", "import_spec_list"})
_RAW_STRING = "raw_string_literal"
STRINGS = frozenset({"interpreted_string_literal", _RAW_STRING})


def span_of(node: Node) -> Span:
    """The byte range of a node."""
    return Span(node.start_byte, node.end_byte)


def text_of(src: bytes, node: Node) -> str:
    """The source text of a node."""
    return src[node.start_byte : node.end_byte].decode(errors="replace")


def elements(node: Node) -> list[Node]:
    """The named children of a node, comments and errors left out."""
    return [c for c in node.named_children if c.type != COMMENT and not c.is_error]


def find_clause(tree: Tree) -> Node | None:
    """The package clause of a file."""
    return next((n for n in tree.root_node.children if n.type == PACKAGE_CLAUSE), None)


def is_block(node: Node) -> bool:
    """Whether the node is a braced statement list."""
    return node.type == _BLOCK


def is_raw_string(node: Node) -> bool:
    """Whether the node is a raw string literal."""
    return node.type == _RAW_STRING


def find_field(node: Node, name: str) -> Node | None:
    """The child in a named field."""
    return node.child_by_field_name(name)


def find_list(node: Node) -> Node | None:
    """The statement list directly inside a block or clause, None when that is empty."""
    return next((c for c in node.children if c.type == _LIST), None)


def find_lists(node: Node) -> list[Node]:
    """Every statement list in a node, in the order of the text."""
    found = QueryCursor(_LISTS).captures(node).get("list", [])
    return sorted(found, key=lambda listed: listed.start_byte)


def statements(node: Node) -> list[Node]:
    """The statements of a block or clause."""
    inner = find_list(node)
    return elements(inner) if inner else []


def is_listed(node: Node) -> bool:
    """Whether the node is an element of a statement list."""
    return node.parent is not None and node.parent.type == _LIST


def list_handled(body: Node) -> list[tuple[Node, str]]:
    """What has a handle in a body, in the order of the text: (node, stmt or clause or block)."""
    found = QueryCursor(_HANDLED).captures(body)
    kinds = [("stmt", found.get("stmt", [])), ("clause", found.get("clause", []))]
    kinds += [("stmt" if n.type == IF else "block", [n]) for n in found.get("else", [])]
    listed = [(node, kind) for kind, each in kinds for node in each if _is_element(node)]
    return sorted(listed, key=lambda pair: (pair[0].start_byte, -pair[0].end_byte))


def _is_element(node: Node) -> bool:
    return node.type not in (COMMENT, "label_name") and not node.is_error


def find_else(node: Node) -> Node | None:
    """The else branch of an if."""
    return find_field(node, "alternative") if node.type == IF else None


def else_owner(node: Node) -> Node | None:
    """The if whose else branch the node is."""
    parent = node.parent
    return parent if parent is not None and find_else(parent) == node else None


def find_body(node: Node) -> Node | None:
    """The block that a node owns: the body of a for, func or func literal, the then-block of an if,
    the block itself, a clause itself; None for anything else."""
    if node.type in CLAUSES or node.type == _BLOCK:
        return node
    if node.type == LABELED:
        inner = inner_statement(node)
        return find_body(inner) if inner else None
    return find_field(node, "consequence") or (
        find_field(node, "body") if node.type in FUNC_DECLS | {FOR, FUNC_LIT} else None
    )


def inner_statement(node: Node) -> Node | None:
    """The statement under a label, None when the label ends its block."""
    inner = [c for c in elements(node) if c.type != "label_name"]
    return inner[0] if inner else None


def is_labeled_inner(node: Node) -> bool:
    """Whether the node is the statement under a label."""
    return node.parent is not None and node.parent.type == LABELED


def clauses(node: Node) -> list[Node]:
    """The clauses of a switch or select."""
    return [c for c in node.named_children if c.type in CLAUSES]


def unlabeled(node: Node) -> Node:
    """The statement under the labels of a node; the node itself without one."""
    while node.type == LABELED and (inner := inner_statement(node)) is not None:
        node = inner
    return node


def brace(node: Node) -> Node:
    """The `{` that opens the clauses of a switch or select."""
    return next(c for c in node.children if c.type == "{")


def clause_colon(node: Node) -> Node:
    """The `:` that opens the body of a clause."""
    return next(c for c in node.children if c.type == ":")


def clause_tail(node: Node) -> Node:
    """The last statement of a clause, else its `:`; the clause may end line breaks later."""
    return [clause_colon(node), *statements(node)][-1]


def find_header(node: Node) -> Node | None:
    """What stands between `for` and its block: a clause, a condition, or None."""
    return next((c for c in elements(node) if c.type != _BLOCK), None)


def is_plain_for(node: Node) -> bool:
    """Whether a for has no range clause."""
    head = find_header(node)
    return head is None or head.type != "range_clause"


def find_clause_semicolon(node: Node) -> Node | None:
    """The first `;` of a three-part for header; None for another kind of for."""
    head = find_header(node)
    if head is None or head.type != "for_clause":
        return None
    return next(c for c in head.children if c.type == ";")


def is_spec_list(node: Node) -> bool:
    """Whether the node is the parenthesised list of a declaration."""
    return node.type in _SPEC_LISTS


def list_specs(node: Node) -> list[Node]:
    """The specs of an import, const, var or type declaration."""
    found: list[Node] = []
    for child in elements(node):
        found += elements(child) if is_spec_list(child) else [child]
    return found


def find_token(node: Node, kind: str) -> Node | None:
    """The first token of a kind directly under a node, or in its parenthesised list."""
    for child in node.children:
        if child.type == kind:
            return child
        if is_spec_list(child):
            return find_token(child, kind)
    return None


def descendants(node: Node) -> Iterator[Node]:
    """`node` and all below it, preorder."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.children))


def name_nodes(node: Node) -> list[Node]:
    """The names that a spec, field, parameter or method declares."""
    return [c for c in node.children_by_field_name("name") if c.is_named]


_NO_TYPES = frozenset({_BLOCK, "literal_value", "type_parameter_list"})


def member_nodes(node: Node) -> list[Node]:
    """The fields and interface methods that a declaration, field or method gives its own type or
    the types that this is made of: of pointers, elements, parameters, literals."""
    found: list[Node] = []
    for child in elements(node):
        if child.type == "struct_type":
            found += [f for body in elements(child) for f in elements(body) if f.type == FIELD]
        elif child.type == "interface_type":
            found += [c for c in elements(child) if is_interface_method(c)]
        elif child.type not in _NO_TYPES:
            found += member_nodes(child)
    return found


def is_interface_method(node: Node) -> bool:
    """Whether the node declares a method of an interface."""
    return node.type == "method_elem"


def embedded_name(node: Node) -> Node | None:
    """The identifier that names an embedded field: the last of its type, before type arguments."""
    found = find_field(node, "type")
    while found is not None and found.type not in ("type_identifier", IDENTIFIER):
        inner = elements(found)
        found = find_field(found, "name") or find_field(found, "type") or (inner or [found])[-1]
    return found


def is_fallthrough(node: Node) -> bool:
    """Whether the statement is a fallthrough, which only the end of a clause may be."""
    return node.type == "fallthrough_statement"


def is_named_literal(node: Node) -> bool:
    """Whether a composite literal's type is a name, so that its brace looks like a block's."""
    found = find_field(node, "type")
    return found is not None and found.type in ("type_identifier", "qualified_type", "generic_type")


BRACKETED = frozenset({PAREN, "argument_list", "literal_value", FUNC_LIT})
"""Nodes whose own brackets keep their inside apart from the header they stand in."""


def holds_statements(node: Node) -> bool:
    """Whether the node is a block, a clause, or a statement made of them."""
    if node.type == LABELED:
        inner = inner_statement(node)
        return inner is not None and holds_statements(inner)
    return is_block(node) or node.type in CLAUSES | SWITCHES | {IF, FOR}


def is_type_name(node: Node) -> bool:
    """Whether the node is a type's name as it is written, with its qualifier if it has one."""
    if node.type == "qualified_type":
        return True
    qualified = node.parent is not None and node.parent.type == "qualified_type"
    return node.type == "type_identifier" and not qualified


def is_qualifier(node: Node) -> bool:
    """Whether the node may be a package's name before a dot."""
    if node.type == "package_identifier":
        return node.parent is not None and node.parent.type == "qualified_type"
    selector = node.parent if node.type == IDENTIFIER else None
    return selector is not None and find_field(selector, "operand") == node


def is_bare_name(node: Node) -> bool:
    """Whether the node is a name without a qualifier that is no key of a composite literal."""
    if node.type not in (IDENTIFIER, "type_identifier") or node.parent is None:
        return False
    if node.parent.type == "qualified_type":
        return False
    above = node.parent.parent
    keyed = above is not None and above.type == "keyed_element"
    return not (keyed and above is not None and elements(above)[0] == node.parent)


PARAMS = "parameter_list"


def is_variadic(node: Node) -> bool:
    """Whether a parameter declaration takes any number of arguments."""
    return node.type == "variadic_parameter_declaration"


def is_param(node: Node) -> bool:
    """Whether the node declares parameters or results, not just their type."""
    return node.type in ("parameter_declaration", "variadic_parameter_declaration")


def find_comma(node: Node) -> Node | None:
    """The comma directly after an element of a list, comments skipped."""
    after = node.next_sibling
    while after is not None and after.type == COMMENT:
        after = after.next_sibling
    return after if after is not None and after.type == "," else None


IOTA = "iota"


def uses_iota(spec: Node) -> bool:
    """Whether a const spec's expression counts iota."""
    return any(node.type == IOTA for node in descendants(spec))


def is_member_name(node: Node) -> bool:
    """Whether the name is one that a selector, a field or a key of a literal gives."""
    return node.type == "field_identifier"


_AROUND_TYPES = frozenset(
    {"pointer_type", "slice_type", "array_type", "map_type", "channel_type", "parenthesized_type"}
)


def struct_body(node: Node) -> Node | None:
    """The braces of the struct that a type spec or a field writes as its type, or element type."""
    found = find_field(node, "type")
    while found is not None and found.type in _AROUND_TYPES:
        found = next(reversed(elements(found)), None)
    if found is None or found.type != "struct_type":
        return None
    return next(iter(elements(found)), None)


def find_literal(root: Node, at: int, *, opens: bool) -> Node | None:
    """The braces of the literal that opens at byte `at`, else those that an element there is in."""
    node = root.descendant_for_byte_range(at, at)
    while node is not None:
        if node.type == "literal_value" and (node.start_byte == at) == opens:
            return node
        node = node.parent
    return None


def takes_no_methods(spec: Node) -> bool:
    """Whether a type spec declares an interface or a pointer, which can't have methods."""
    found = find_field(spec, "type")
    return found is not None and found.type in ("interface_type", "pointer_type")
