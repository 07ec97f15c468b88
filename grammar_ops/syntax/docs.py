"""Doc comments and trailing comments: which comments belong to a node, and how a doc is written.

Invariant: a comment belongs to what it touches: the lines directly above, or the rest of the line.
Invariant: directives (`//go:embed`, `//export`) are never prose; they outlive a change of the doc.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from grammar_ops.syntax import nodes

_DIRECTIVE = re.compile(r"//(line |extern |export |[a-z0-9]+:[a-z0-9])")


def line_start(src: bytes, at: int) -> int:
    """Where the line of byte `at` begins."""
    return src.rfind(b"\n", 0, at) + 1


def line_end(src: bytes, at: int) -> int:
    """Where the line of byte `at` ends, before its line break."""
    end = src.find(b"\n", at)
    end = len(src) if end < 0 else end
    return end - 1 if end > at and src[end - 1 : end] == b"\r" else end


def next_line(src: bytes, at: int) -> int:
    """Where the line after that of byte `at` begins."""
    end = src.find(b"\n", at)
    return len(src) if end < 0 else end + 1


def begins_line(src: bytes, at: int) -> bool:
    """Whether only white space stands before `at` on its line."""
    return not src[line_start(src, at) : at].strip()


def ends_line(src: bytes, at: int) -> bool:
    """Whether only white space stands after `at` on its line."""
    return not src[at : line_end(src, at)].strip()


def list_doc(src: bytes, node: Node) -> list[Node]:
    """The comments directly above a node, in order; one at the end of a code line is none."""
    found: list[Node] = []
    row = node.start_point.row
    comment = _previous(node)
    while comment is not None and comment.type == nodes.COMMENT:
        if comment.end_point.row != row - 1 or not begins_line(src, comment.start_byte):
            break
        if node.type in nodes.CLAUSES and _is_deeper(comment, node):
            break
        found.insert(0, comment)
        row, comment = comment.start_point.row, _previous(comment)
    return found if begins_line(src, node.start_byte) else []


def doc_start(src: bytes, node: Node) -> int:
    """Where a node begins with its doc."""
    found = list_doc(src, node)
    return found[0].start_byte if found else node.start_byte


def list_below(clause: Node) -> list[Node]:
    """The comments on lines of their own that still belong to a clause: those deeper than it."""
    found: list[Node] = []
    after, tail = clause.next_sibling, nodes.clause_tail(clause)
    while after is not None and after.type == nodes.COMMENT:
        if after.start_point.row > tail.end_point.row:
            if not _is_deeper(after, clause):
                break
            found.append(after)
        after = after.next_sibling
    return found


def _is_deeper(comment: Node, clause: Node) -> bool:
    # gofmt keeps a comment above a clause in line with it, or in line with what stands above.
    return comment.start_point.column > clause.start_point.column


def trailing_end(src: bytes, node: Node) -> int:
    """Where a node ends with the comment that shares its last line, if that ends the line."""
    end, after = node.end_byte, _next(node)
    while after is not None and after.start_point.row == node.end_point.row:
        if after.type == nodes.COMMENT:
            if ends_line(src, after.end_byte):
                return after.end_byte
        elif after.type not in (";", ",", "\n"):
            return end
        after = _next(after)
    return end


def _previous(node: Node) -> Node | None:
    """The node before, also across the edge of a statement list."""
    before = node.prev_sibling
    if before is None and node.parent is not None and nodes.is_listed(node):
        before = node.parent.prev_sibling
    return before


def _next(node: Node) -> Node | None:
    after = node.next_sibling
    if after is None and node.parent is not None and nodes.is_listed(node):
        after = node.parent.next_sibling
        if after is None and node.parent.parent is not None:
            # The last statement of a clause: its comment hangs in the switch, after the clause.
            after = node.parent.parent.next_sibling
    return after


def is_directive(comment: str) -> bool:
    """Whether a comment is an instruction to a tool."""
    return bool(_DIRECTIVE.match(comment))


def render_doc(text: str, indent: str = "") -> str:
    """The comment lines of a doc text, each with its line break; lines that are comments stay."""
    lines = text.strip("\n").split("\n") if text.strip() else []
    return "".join(f"{indent}{_comment_line(line.rstrip())}\n" for line in lines)


def _comment_line(line: str) -> str:
    if line.startswith("//") and not is_directive(line):
        return line
    return f"// {line}".rstrip()


def list_directives(doc: str) -> list[str]:
    """The directives among the lines of a doc comment."""
    lines = (line.strip() for line in doc.splitlines())
    return [line for line in lines if is_directive(line)]
