"""Control flow and scope by syntax: what statements leave or are bound to, what they declare.

Invariant: function literals are opaque, as no statement inside of one leaves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

from grammar_ops.syntax.nodes import (
    BINARY,
    CALL,
    CLAUSES,
    EXPR_STMT,
    FOR,
    FUNC_DECLS,
    FUNC_LIT,
    IDENTIFIER,
    IF,
    LABELED,
    SELECT,
    SHORT_VAR,
    SPEC_DECLS,
    SWITCHES,
    clauses,
    elements,
    find_body,
    find_else,
    find_field,
    find_header,
    find_lists,
    inner_statement,
    is_block,
    is_fallthrough,
    is_labeled_inner,
    is_plain_for,
    list_specs,
    name_nodes,
    statements,
    unlabeled,
)


def loose_branches(listed: Iterable[Node]) -> list[Node]:
    """Unlabeled break and continue statements that leave the nodes for a loop or switch around."""
    return [found for node in listed for found in _branches(node, False)]


def _branches(node: Node, in_switch: bool) -> Iterator[Node]:
    if node.type in (FOR, FUNC_LIT):
        return
    if is_branch(node, "continue") or (is_branch(node, "break") and not in_switch):
        yield node
    inside = in_switch or node.type in SWITCHES
    for child in node.children:
        yield from _branches(child, inside)


def branches_to(listed: Iterable[Node], labels: Iterable[str]) -> list[Node]:
    """The break and continue statements in the nodes that name one of the labels."""
    wanted = set(labels)
    return [n for n in own_nodes(listed) if label_of(n) in wanted and not is_goto(n)]


def bound_to_function(listed: Sequence[Node]) -> list[Node]:
    """What a function literal around the nodes takes over or cuts off: returns, deferred calls,
    recover, and jumps that leave the nodes."""
    inner = list(own_nodes(listed))
    known = {label for node in inner for label in labels_at(node)} | {""}
    found = loose_branches(listed)
    found += [n for n in inner if is_function_bound(n) or label_of(n) not in known]
    return sorted(found, key=lambda node: node.start_byte)


def own_nodes(listed: Iterable[Node]) -> Iterator[Node]:
    """The nodes and all below them that are not inside of a function literal, in order."""
    for node in listed:
        if node.type != FUNC_LIT:
            yield node
            yield from own_nodes(node.children)


def find_target(jump: Node, block: Node) -> Node | None:
    """The construct around `block` that a jump, return or defer in it is bound to."""
    around: Node | None = block
    functions = FUNC_DECLS | {FUNC_LIT}
    wanted = functions
    if is_branch(jump, "continue") or is_branch(jump, "break"):
        wanted = functions | {FOR} | (SWITCHES if is_branch(jump, "break") else frozenset())
    elif is_fallthrough(jump):
        wanted = functions | CLAUSES
    while around is not None and around.type not in wanted:
        around = around.parent
    return around


def is_terminating(node: Node, label: str = "") -> bool:
    """Whether nothing that follows the statement runs (spec, Terminating statements)."""
    if node.type == LABELED:
        inner = inner_statement(node)
        return inner is not None and is_terminating(inner, labels_at(node)[0])
    if node.type in ("return_statement", "goto_statement") or _is_panic(node):
        return True
    if is_block(node):
        return _ends(node)
    if node.type == IF:
        body, other = find_body(node), find_else(node)
        return other is not None and _ends(body) and is_terminating(other)
    if node.type == FOR:
        head = find_header(node)
        bare = find_field(head, "condition") is None if head and head.type == _CLAUSE else not head
        return bare and is_plain_for(node) and not _breaks(node, label)
    if node.type not in SWITCHES:
        return False
    listed = clauses(node)
    total = node.type == SELECT or any(clause.type == "default_case" for clause in listed)
    return total and all(map(_ends, listed)) and not _breaks(node, label)


def unreached(node: Node) -> Iterator[Node]:
    """The first statement of each list in `node` that nothing leads to: it follows one that
    control leaves for good, and has no label to jump to."""
    for listed in find_lists(node):
        for before, after in pairwise(elements(listed)):
            if _leaves(before) and after.type not in (LABELED, _EMPTY):
                yield after
                break


def _leaves(node: Node) -> bool:
    jumps = ("break_statement", "continue_statement", "fallthrough_statement")
    return node.type in jumps or is_terminating(node)


_CLAUSE = "for_clause"
_RANGE = "range_clause"
_EMPTY = "empty_statement"


def _ends(block: Node | None) -> bool:
    listed = statements(block) if block is not None else []
    return bool(listed) and (is_fallthrough(listed[-1]) or is_terminating(listed[-1]))


def _is_panic(node: Node) -> bool:
    call = next(iter(elements(node)), None) if node.type == EXPR_STMT else None
    callee = find_field(call, "function") if call is not None and call.type == CALL else None
    return callee is not None and callee.text == b"panic"


def _breaks(node: Node, label: str) -> bool:
    """Whether a break in a loop, switch or select leaves it."""
    inner = node.children if node.type != FOR else [find_body(node) or node]
    loose = [b for child in inner for b in _branches(child, False)]
    named = branches_to(inner, [label]) if label else []
    return any(b.type == "break_statement" for b in (*loose, *named))


def names_used(listed: Iterable[Node]) -> Iterator[Node]:
    """The identifiers in the nodes that are looked up in the scopes around them."""
    for node in listed:
        if node.type in _NAMES and node.text != b"_":
            yield node
        elif node.type == "qualified_type":
            yield from names_used(node.children[:1])
        else:
            yield from names_used(node.children)


_NAMES = frozenset({IDENTIFIER, "type_identifier", "package_identifier"})


def is_branch(node: Node, keyword: str) -> bool:
    """Whether the node is an unlabeled break or continue."""
    return node.type == f"{keyword}_statement" and not elements(node)


_JUMPS = frozenset({"break_statement", "continue_statement", "goto_statement"})


def is_goto(node: Node) -> bool:
    """Whether the node is a goto."""
    return node.type == "goto_statement"


def label_of(jump: Node) -> str:
    """The label that a break, continue or goto names, "" for none and for other nodes."""
    named = elements(jump) if jump.type in _JUMPS else []
    return (named[0].text or b"").decode() if named else ""


def labels_at(node: Node) -> list[str]:
    """The labels that a labeled statement puts in front of one statement."""
    found = []
    while node.type == LABELED:
        found.append((elements(node)[0].text or b"").decode())
        node = inner_statement(node) or node.children[0]
    return found


def labels_around(node: Node) -> list[str]:
    """The labels that stand in front of a statement."""
    found = []
    while is_labeled_inner(node) and node.parent is not None:
        node = node.parent
        found.append((elements(node)[0].text or b"").decode())
    return found


def is_function_bound(node: Node) -> bool:
    """Whether the node is bound to the function that runs it: return, defer, a call of recover."""
    if node.type == CALL:
        callee = find_field(node, "function")
        return callee is not None and callee.type == IDENTIFIER and callee.text == b"recover"
    return node.type in ("return_statement", "defer_statement")


def called_literal(node: Node) -> tuple[Node, Node] | None:
    """(function literal, its call) of a statement that calls, starts or defers a literal."""
    if node.type not in (EXPR_STMT, "go_statement", "defer_statement"):
        return None
    call = next(iter(elements(node)), None)
    callee = find_field(call, "function") if call is not None and call.type == CALL else None
    return (callee, call) if call and callee and callee.type == FUNC_LIT else None


def is_bare_call(literal: Node, call: Node) -> bool:
    """Whether a function literal has neither parameters nor results, and its call no arguments."""
    lists = (find_field(literal, "parameters"), find_field(call, "arguments"))
    return find_field(literal, "result") is None and not any(n and elements(n) for n in lists)


def range_names(loop: Node) -> list[Node]:
    """The variables that a range loop declares."""
    head = find_header(loop)
    left = find_field(head, "left") if head is not None and head.type == _RANGE else None
    declares = head is not None and any(c.type == ":=" for c in head.children)
    return [n for n in elements(left) if n.text != b"_"] if left and declares else []


def declared_names(node: Node) -> list[Node]:
    """The names that a statement of a list declares for those below it, blank ones left out."""
    node = unlabeled(node)
    if node.type == SHORT_VAR:
        left = find_field(node, "left")
        found = elements(left) if left is not None else []
    else:
        specs = list_specs(node) if node.type in SPEC_DECLS else []
        found = [name for spec in specs for name in name_nodes(spec)]
    return [name for name in found if name.text != b"_"]


def runs_with(node: Node, parent: Node) -> bool:
    """Whether a part of a statement runs once whenever what it is part of does, before any block
    or init statement of that does."""
    if parent.type in (FUNC_LIT, LABELED) or parent.type in FUNC_DECLS | CLAUSES:
        return False
    if parent.type == BINARY:
        operator = find_field(parent, "operator")
        short = operator is not None and operator.type in ("&&", "||")
        return not short or node == find_field(parent, "left")
    if parent.type == FOR:
        return node.type == _RANGE
    if parent.type == _RANGE:
        return node == find_field(parent, "right")
    if parent.type not in SWITCHES | {IF}:
        return True
    parts = (find_field(parent, name) for name in ("initializer", "condition", "value"))
    return node == next((part for part in parts if part is not None), None)
