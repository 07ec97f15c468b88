"""A declaration given as text: read, and put in the place of an old one or into a file.

Invariant: what the text does not say of the old declaration (doc, directives, trailing comment,
its place in a group) is kept, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from grammar_ops.edit import Edit, Span
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import docs, groups, nodes
from grammar_ops.syntax.decls import Decl, list_decls
from grammar_ops.syntax.layout import line_indent
from grammar_ops.syntax.parse import parse

register(
    "grammar",
    {
        "decl_does_not_parse": "the text is no Go declaration",
        "expected_one_decl": "the text must be one declaration",
        "members_apart": "the names that the text declares together stand in several places",
        "unsupported_decl_kind": "imports go with the `imports` argument",
        "replaces_group_member": "a function can't stand in for a member of a group",
        "group_token_mismatch": "the group has another keyword",
    },
)

_HEAD = b"package p\n\n"


@dataclass(frozen=True)
class NewDecl:
    """A declaration read from text: its address, and the parts that landing needs."""

    sym: str
    """The first of the names that it declares."""
    syms: tuple[str, ...]
    kind: str
    keyword: str
    """func, const, var or type."""
    doc: str
    """The comments above it, "" or ending in a line break."""
    text: str
    """From the keyword to the end, with the comment on its last line."""
    spec: str
    """The spec alone, for a member of a group."""
    rest: str
    """What a constant's or variable's spec has behind its names, "" for another declaration."""
    trailing: bool
    """Whether a comment ends the spec's last line."""
    closed: bool
    """Whether a comment ends the text's last line."""
    grouped: bool
    """Whether it is parenthesised."""

    @property
    def is_single(self) -> bool:
        """Whether it declares one name, and so can be a member of a group."""
        return len(self.syms) == 1


def parse_new_decl(scope: Scope, text: str) -> NewDecl:
    """Read one declaration; Reject says what else the text is."""
    src = _HEAD + text.strip().encode() + b"\n"
    tree = parse(src)
    outer = nodes.elements(tree.root_node)[1:]
    if any(node.type == nodes.IMPORT_DECL for node in outer):
        raise Reject("unsupported_decl_kind", "import")
    if len(outer) > 1 and not tree.root_node.has_error:
        raise Reject("expected_one_decl", f"found {len(outer)}")
    complaint = scope.check_fragment("decl", text.strip()) if outer else "the text is empty"
    if complaint is not None or not outer:
        raise Reject("decl_does_not_parse", complaint or "")
    found = list_decls(tree, src)
    if not found:
        raise Reject("decl_does_not_parse", "the text declares nothing")
    return _read(src, outer[0], found)


def _read(src: bytes, outer: Node, found: Sequence[Decl]) -> NewDecl:
    decl = found[0]
    outer_end = docs.trailing_end(src, outer)
    spec_end = docs.trailing_end(src, decl.node) if decl.group else outer_end
    single = decl.group is not None and len(found) == 1
    inner_doc = src[docs.doc_start(src, decl.node) : decl.node.start_byte] if single else b""
    doc = src[len(_HEAD) : outer.start_byte].decode()
    return NewDecl(
        sym=decl.sym,
        syms=tuple(each.sym for each in found),
        kind=decl.kind,
        keyword=nodes.SPEC_DECLS.get(outer.type, "func"),
        doc=doc or inner_doc.decode(),
        text=src[outer.start_byte : outer_end].decode(),
        spec=src[decl.node.start_byte : max(spec_end, decl.node.end_byte)].decode(),
        rest=groups.rest_of(src, decl.node) if decl.kind in ("const", "var") else "",
        trailing=outer_end > outer.end_byte
        or (decl.group is not None and spec_end > decl.span.end),
        closed=outer_end > outer.end_byte,
        grouped=decl.group is not None,
    )


def replace_decl(src: bytes, old: Decl, new: NewDecl) -> Edit:
    """The edit that puts a new declaration where the old one of that address stands."""
    if not new.is_single and (new.grouped or old.group is None):
        return _replace_whole(src, old, new)
    if new.is_single:
        groups.refuse_multi_name(old)
    text = new.text
    if old.group is not None:
        if new.keyword == "func":
            raise Reject("replaces_group_member", f"{old.sym} is in a {old.group.keyword} group")
        if new.keyword != old.group.keyword:
            raise Reject("group_token_mismatch", f"{old.sym} is in a {old.group.keyword} group")
        groups.refuse_follower(src, old, new.rest)
        text = new.spec
    end = old.full_span.end if new.trailing else old.span.end
    return _put(src, Span(old.full_span.start, end), old.span.start, old.path, new.doc, text)


def _replace_whole(src: bytes, old: Decl, new: NewDecl) -> Edit:
    """A group of several stands in for the whole declaration, the old group included."""
    span, full = (old.group.span, old.group.full_span) if old.group else (old.span, old.full_span)
    end = full.end if new.closed else span.end
    doc = [line.strip() for line in src[full.start : span.start].decode().splitlines()]
    if (
        doc
        and old.group is None
        and _has_run([line.strip() for line in new.text.splitlines()], doc)
    ):
        # The doc of the one declaration is a member's now.
        return Edit(old.path, Span(old.full_span.start, end), new.text.encode())
    return _put(src, Span(full.start, end), span.start, old.path, new.doc, new.text)


def _has_run(lines: Sequence[str], run: Sequence[str]) -> bool:
    """Whether some lines stand among others, one after another."""
    return any(lines[at : at + len(run)] == run for at in range(len(lines)))


def _put(src: bytes, full: Span, start: int, path: str, new_doc: str, text: str) -> Edit:
    """`text` from byte `start` on; the doc before it stays where there is no new one."""
    if not new_doc:
        return Edit(path, Span(start, full.end), text.encode())
    indent = line_indent(src, start)
    old_doc = src[full.start : start].decode()
    doc = [line.strip() if indent else line for line in new_doc.splitlines()]
    if not docs.list_directives(new_doc):
        doc += docs.list_directives(old_doc)
    lines = "".join(f"{line}\n{indent}" for line in doc)
    return Edit(path, full, (lines + text).encode())


def append_decl(
    src: bytes, path: str, new: NewDecl, after: int | None = None, gap: str = "\n\n"
) -> Edit:
    """The insertion of a new declaration at the end of a file, or behind byte `after`."""
    at = len(src.rstrip()) if after is None else after
    tail = "" if src[at : at + 2].startswith((b"\n", b"\r\n")) else "\n"
    return Edit(path, Span(at, at), f"{gap}{new.doc}{new.text}{tail}".encode())


def prepend_decl(path: str, new: NewDecl, before: int, gap: str = "\n\n") -> Edit:
    """The insertion of a new declaration in front of the one whose doc begins at a byte."""
    return Edit(path, Span(before, before), f"{new.doc}{new.text}{gap}".encode())


def insert_member(src: bytes, mate: Decl, new: NewDecl, *, after: bool) -> Edit:
    """The insertion of a new member of a group directly after or before another one."""
    indent = line_indent(src, mate.span.start)
    doc = [line.strip() for line in new.doc.splitlines()]
    lines = [*doc, new.spec]
    if after:
        text = "".join(f"\n{indent}{line}" for line in lines)
        return Edit(mate.path, Span(mate.full_span.end, mate.full_span.end), text.encode())
    start = docs.line_start(src, mate.full_span.start)
    text = "".join(f"{indent}{line}\n" for line in lines)
    return Edit(mate.path, Span(start, start), text.encode())
