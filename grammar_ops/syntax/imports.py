"""Import declarations: listed, added in the right group, dropped with their comments, renamed.

Invariant: what stands above the package clause, on its line, and around other specs is never
touched; `import "C"` keeps its preamble and its own declaration.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node, Tree

from grammar_ops.edit import Edit, Span
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.layout import line_indent, removal_span
from grammar_ops.syntax.parse import parse

_CLAUSE = re.compile(rb"\n(?:package|import)\b")
"""One on the first line is before whatever else there is."""
_DECL = re.compile(rb"^(?:func|type|var|const)\b", re.MULTILINE)
_SEMICOLON = re.compile(rb"[ \t]*;[ \t]*")


@dataclass(frozen=True)
class Import:
    """One import spec: path, local name ("" for none, or `_` or `.`), spans, its declaration."""

    path: str
    name: str
    span: Span
    full_span: Span
    node: Node
    decl: Node
    grouped: bool


def head_of(src: bytes) -> bytes:
    """The beginning of a file that holds its package clause and all of its imports.

    Lines of later comments and strings may look like one of these: then the head is longer.
    """
    ends = [match.end() for match in _CLAUSE.finditer(src)]
    decl = _DECL.search(src, ends[-1] if ends else 0)
    return src[: decl.start()] if decl else src


def parse_head(src: bytes) -> Tree:
    """A tree of the head of a file: all that imports need, at a fraction of the cost."""
    return parse(head_of(src))


def list_imports(tree: Tree, src: bytes) -> list[Import]:
    """The imports of a file in source order."""
    found = []
    for decl in tree.root_node.children:
        if decl.type != nodes.IMPORT_DECL:
            continue
        grouped = nodes.find_token(decl, "(") is not None
        for spec in nodes.list_specs(decl):
            path, name = nodes.find_field(spec, "path"), nodes.find_field(spec, "name")
            if path is None:
                continue
            outer = spec if grouped else decl
            full = Span(docs.doc_start(src, outer), docs.trailing_end(src, outer))
            found.append(
                Import(
                    nodes.text_of(src, path)[1:-1],
                    nodes.text_of(src, name) if name else "",
                    nodes.span_of(spec),
                    full,
                    spec,
                    decl,
                    grouped,
                )
            )
    return found


def add_import(file: str, tree: Tree, src: bytes, path: str, name: str = "") -> tuple[Edit, ...]:
    """The insertions that make a file import `path`; none when it does so under that name."""
    found = list_imports(tree, src)
    if any(imp.path == path and imp.name == name for imp in found):
        return ()
    spec = f'{name} "{path}"'.lstrip()
    usable = [imp for imp in found if imp.path != "C"]
    grouped = [imp for imp in usable if imp.grouped]
    if grouped:
        block = [imp for imp in grouped if imp.decl == grouped[0].decl]
        return (_insert_spec(file, src, block, path, spec),)
    if len(usable) == 1:
        return _make_block(file, src, usable[0], path, spec)
    if found:
        end = (usable or found)[-1].full_span.end
        lead = b"\n" if usable else b"\n\n"
        return (_insert(file, end, lead + f"import {spec}".encode()),)
    return (_insert_first(file, tree, src, spec),)


def _insert(file: str, at: int, text: bytes) -> Edit:
    return Edit(file, Span(at, at), text)


def _insert_first(file: str, tree: Tree, src: bytes, spec: str) -> Edit:
    """After the package clause and the comment on its line; what follows keeps its distance."""
    clause = nodes.find_clause(tree)
    assert clause is not None
    more = _SEMICOLON.match(src, clause.end_byte)
    if more and src[more.end() : more.end() + 1].strip():
        return Edit(file, Span(*more.span()), f"\n\nimport {spec}\n\n".encode())
    at = more.end() if more else docs.trailing_end(src, clause)
    following = src[at:].split(b"\n", 2)
    glued = len(following) > 1 and bool(following[1].strip())
    return _insert(file, at, f"\n\nimport {spec}{chr(10) if glued else ''}".encode())


def _make_block(file: str, src: bytes, only: Import, path: str, spec: str) -> tuple[Edit, ...]:
    gap = "\n" if _is_std(only.path) != _is_std(path) else ""
    at, end = only.span.start, only.full_span.end
    before = _order(path) < _order(only.path)
    head = f"(\n\t{spec}\n{gap}\t" if before else "(\n\t"
    tail = "\n)" if before else f"\n{gap}\t{spec}\n)"
    return _insert(file, at, head.encode()), _insert(file, end, tail.encode())


def _insert_spec(file: str, src: bytes, block: list[Import], path: str, spec: str) -> Edit:
    groups = _split_groups(src, block)
    same = [g for g in groups if _is_std(g[0].path) == _is_std(path)]
    if not same:
        return _insert_group(file, src, groups, path, spec)
    group = max(same, key=lambda g: max(_shared_prefix(imp.path, path) for imp in g))
    after = [imp for imp in group if _order(imp.path) < _order(path)]
    if not after and group[0].full_span.start < group[0].span.start:
        # Above its comment or below, the comment would change sides: gofmt sorts them with it.
        after = group[:1]
    if after:
        indent = line_indent(src, after[-1].span.start) or "\t"
        return _insert(file, after[-1].full_span.end, f"\n{indent}{spec}".encode())
    return _insert_above(file, src, group[0].span.start, spec, "\n")


def _insert_group(file: str, src: bytes, groups: list[list[Import]], path: str, spec: str) -> Edit:
    """A group of its own: the standard library's comes first, any other last."""
    if _is_std(path):
        return _insert_above(file, src, groups[0][0].full_span.start, spec, "\n\n")
    return _insert(file, groups[-1][-1].full_span.end, f"\n\n\t{spec}".encode())


def _insert_above(file: str, src: bytes, at: int, spec: str, gap: str) -> Edit:
    """A line above the one at `at`; what does not begin its line is put on the next one."""
    start, indent = docs.line_start(src, at), line_indent(src, at)
    if src[start:at].strip():
        return _insert(file, at, f"{spec}{gap}\t".encode())
    return _insert(file, start, f"{indent}{spec}{gap}".encode())


def _split_groups(src: bytes, block: Sequence[Import]) -> list[list[Import]]:
    """The runs of specs with no blank line between them."""
    groups = [[block[0]]]
    for before, after in pairwise(block):
        if src[before.full_span.end : after.full_span.start].count(b"\n") > 1:
            groups.append([])
        groups[-1].append(after)
    return groups


def _is_std(path: str) -> bool:
    return "." not in path.split("/", 1)[0]


def _order(path: str) -> tuple[bool, str]:
    return not _is_std(path), path


def _shared_prefix(one: str, other: str) -> int:
    parts = zip(one.split("/"), other.split("/"), strict=False)
    return next((i for i, (a, b) in enumerate(parts) if a != b), len(one))


def drop_import(file: str, tree: Tree, src: bytes, imp: Import) -> Edit:
    """The removal of a spec with its comments, or of the whole declaration when it was the last.

    A comment that heads a run of several specs stays with the others.
    """
    siblings = [other for other in list_imports(tree, src) if other.decl == imp.decl]
    if len(siblings) == 1:
        span = Span(docs.doc_start(src, imp.decl), docs.trailing_end(src, imp.decl))
        return Edit(file, removal_span(src, span), b"")
    heads_run = any(
        other.span.start > imp.span.start
        and src[imp.full_span.end : other.full_span.start].count(b"\n") == 1
        for other in siblings
    )
    start = imp.span.start if heads_run else imp.full_span.start
    return Edit(file, removal_span(src, Span(start, imp.full_span.end)), b"")


def open_block(file: str, src: bytes, imp: Import) -> tuple[Edit, ...]:
    """The edits that take the parentheses from around an import that has them for itself."""
    paren, end = nodes.find_token(imp.decl, "("), imp.decl.end_byte
    start = paren.start_byte if paren is not None else end
    spec = src[imp.span.start : imp.full_span.end]
    if src[start:end].strip(b"() \t\r\n") != spec:
        return ()
    before, after = Span(start, imp.span.start), Span(imp.full_span.end, end)
    return Edit(file, before, b""), Edit(file, after, b"")


def set_alias(file: str, imp: Import, name: str) -> Edit:
    """The edit that gives an import a local name, or takes it away with ""."""
    path = nodes.find_field(imp.node, "path")
    end = path.start_byte if path is not None else imp.span.end
    return Edit(file, Span(imp.span.start, end), f"{name} ".encode() if name else b"")
