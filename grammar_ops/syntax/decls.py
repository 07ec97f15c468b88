"""Declarations of a file: found by address, listed, with the spans that edits need.

Invariant: a declaration's span begins at its keyword (a group member's at its spec); its full span
takes in the doc comment and the comment at the end of its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node, Tree

from grammar_ops.edit import Span
from grammar_ops.reject import Reject, register
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.parse import parse

register(
    "grammar",
    {
        "not_a_function": "what is addressed must be a function or method, for an op with a body",
        "not_a_type": "what is addressed must be a type",
    },
)

SHARED_NAMES = ("_", "init")
"""Names that any number of declarations of a package may have."""

# A doc comment has no more lines than this when a place in it is asked for.
_DOC_REACH = 500


@dataclass(frozen=True)
class Group:
    """The parenthesised declaration that a spec stands in."""

    keyword: str
    node: Node
    span: Span
    full_span: Span
    specs: tuple[Node, ...]


@dataclass(frozen=True)
class Decl:
    """One declaration: a function, method, type, var, const, field or interface method."""

    path: str
    sym: str
    kind: str
    """func method type alias var const field interface_method."""
    span: Span
    full_span: Span
    name_span: Span
    body_span: Span | None
    group: Group | None
    node: Node
    """The declaration itself; the spec of a group member or of a standalone const, var or type."""
    name_count: int = 1
    """How many names share the spec or field."""
    embedded: bool = False
    """A field that is named by its type."""

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.sym.rpartition(".")[2]


def list_decls(tree: Tree, src: bytes, path: str = "") -> list[Decl]:
    """The package-level declarations of a file, methods included, in source order."""
    return [d for node in tree.root_node.children for d in _decls_of(node, src, path)]


def _decls_of(node: Node, src: bytes, path: str) -> list[Decl]:
    if node.type in nodes.FUNC_DECLS:
        return [_func(node, src, path)]
    return list(_specs(node, src, path)) if node.type in nodes.SPEC_DECLS else []


def find_decl(tree: Tree, src: bytes, sym: str, path: str = "") -> Decl | None:
    """The declaration of `Name`, `Type.Method`, `Type.Field` or `Type.Field.Inner`."""
    direct = _find_top(tree, src, sym, path)
    if direct is not None or "." not in sym:
        return direct
    owner, *members = sym.split(".")
    decl = _find_top(tree, src, owner, path)
    for member in members:
        inner = list_members(decl, src) if decl else []
        decl = next((m for m in inner if m.name == member), None)
    return decl


def find_named_at(tree: Tree, src: bytes, at: Span, path: str = "") -> Decl | None:
    """The declaration, members included, whose name is written at a place."""
    children = tree.root_node.children
    inside = [node for node in children if node.start_byte <= at.start < node.end_byte]
    decls = [decl for node in inside for decl in _decls_of(node, src, path)]
    while decls:
        for decl in decls:
            if decl.name_span == at:
                return decl
        around = [d for d in decls if d.span.start <= at.start < d.span.end]
        decls = [member for decl in around for member in list_members(decl, src)]
    return None


def find_method_at(tree: Tree, src: bytes, sym: str, at: Span, path: str) -> Decl | None:
    """The method of an interface whose name is written at a place, be the interface in a body."""
    name = tree.root_node.named_descendant_for_byte_range(at.start, at.end)
    node = name.parent if name is not None else None
    if name is None or node is None or not nodes.is_interface_method(node):
        return None
    return Decl(
        path, sym, "interface_method", nodes.span_of(node), full_span_of(node, src),
        nodes.span_of(name), None, None, node,
    )  # fmt: skip


def _find_top(tree: Tree, src: bytes, sym: str, path: str) -> Decl | None:
    """One package-level declaration; only the match pays for its comments."""
    for node in tree.root_node.children:
        if node.type in nodes.FUNC_DECLS:
            if _func_sym(node, src) == sym:
                return _func(node, src, path)
        elif node.type in nodes.SPEC_DECLS and any(
            nodes.text_of(src, name) == sym
            for spec in nodes.list_specs(node)
            for name in nodes.name_nodes(spec)
        ):
            return next(d for d in _specs(node, src, path) if d.sym == sym)
    return None


def list_members(owner: Decl, src: bytes) -> list[Decl]:
    """The fields and interface methods that a declaration (or a member) brings with its types."""
    return [d for node in nodes.member_nodes(owner.node) for d in _member(node, owner, src)]


def find_enclosing(tree: Tree, src: bytes, at: int, path: str = "") -> Decl | None:
    """The package-level declaration that byte `at` stands in, doc and trailing comment included."""
    children = tree.root_node.children
    after = next((i for i, node in enumerate(children) if node.end_byte >= at), len(children))
    near = [i for i in range(after - 1, len(children)) if i >= 0][:_DOC_REACH]
    for index in near:
        found = _decls_of(children[index], src, path)
        inside = [d for d in found if d.full_span.start <= at <= d.full_span.end]
        if inside:
            return inside[0]
        if found and found[0].full_span.start > at:
            return found[0] if found[0].group and found[0].group.full_span.start <= at else None
    return None


def find_package_name(tree: Tree, src: bytes) -> str:
    """The name in the package clause, "" when there is none."""
    clause = nodes.find_clause(tree)
    return nodes.text_of(src, nodes.elements(clause)[0]) if clause else ""


def split_file(text: str) -> list[str]:
    """The declarations of a text without a package clause, each with what stands before it."""
    head = b"package p\n\n"
    src = head + text.strip().encode() + b"\n"
    root = parse(src).root_node
    found = nodes.elements(root)[1:]
    if root.has_error:
        return []
    ends = [len(head), *(node.end_byte for node in found)]
    return [src[start:end].decode().strip() for start, end in pairwise(ends)]


def resolve_body(decl: Decl) -> Node:
    """The body of a function; Reject(not_a_function) when there is none."""
    body = nodes.find_field(decl.node, "body") if decl.kind in ("func", "method") else None
    if body is None:
        what = "a function without a body" if decl.kind in ("func", "method") else f"a {decl.kind}"
        raise Reject("not_a_function", f"{decl.sym} is {what.replace('_', ' ')}")
    return body


def _func(node: Node, src: bytes, path: str) -> Decl:
    name = nodes.find_field(node, "name") or node
    body = nodes.find_field(node, "body")
    kind = "method" if nodes.find_field(node, "receiver") else "func"
    return Decl(
        path, _func_sym(node, src), kind, nodes.span_of(node), full_span_of(node, src),
        nodes.span_of(name), nodes.span_of(body) if body else None, None, node,
    )  # fmt: skip


def _func_sym(node: Node, src: bytes) -> str:
    name = nodes.text_of(src, nodes.find_field(node, "name") or node)
    receiver = nodes.find_field(node, "receiver")
    return f"{receiver_name(receiver, src)}.{name}" if receiver else name


def receiver_name(receiver: Node, src: bytes) -> str:
    """The base type name of a receiver, without pointer and type parameters."""
    found = next((n for n in nodes.descendants(receiver) if n.type == "type_identifier"), None)
    return nodes.text_of(src, found) if found else ""


def full_span_of(node: Node, src: bytes) -> Span:
    """A node's range with its doc and the comment at the end of its line."""
    return Span(docs.doc_start(src, node), docs.trailing_end(src, node))


def _specs(node: Node, src: bytes, path: str) -> Iterator[Decl]:
    grouped = nodes.find_token(node, "(") is not None
    specs = tuple(s for s in nodes.list_specs(node) if s.type in nodes.SPECS)
    group = None
    if grouped:
        keyword = nodes.SPEC_DECLS[node.type]
        group = Group(keyword, node, nodes.span_of(node), full_span_of(node, src), specs)
    for spec in specs:
        outer = spec if grouped else node
        names = nodes.name_nodes(spec)
        for name in names:
            yield Decl(
                path, nodes.text_of(src, name), nodes.SPECS[spec.type], nodes.span_of(outer),
                full_span_of(outer, src), nodes.span_of(name), None, group, spec, len(names),
            )  # fmt: skip


def _member(node: Node, owner: Decl, src: bytes) -> Iterator[Decl]:
    kind = "interface_method" if nodes.is_interface_method(node) else "field"
    names = nodes.name_nodes(node)
    embedded = not names
    if embedded:
        named = nodes.embedded_name(node)
        names = [named] if named is not None else []
    for name in names:
        yield Decl(
            owner.path, f"{owner.sym}.{nodes.text_of(src, name)}", kind, nodes.span_of(node),
            full_span_of(node, src), nodes.span_of(name), None, owner.group, node,
            len(names), embedded,
        )  # fmt: skip
