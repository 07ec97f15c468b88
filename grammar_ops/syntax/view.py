"""Views: a declaration's text as the caller reads it, with the handles that ops take.

Invariant: apart from the handle prefixes the text is the source's own, line breaks shown as LF.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tree_sitter import Tree

from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.stmts import BODY, Handle, list_handles, list_slots

__all__ = ["Handle", "ViewText", "list_handles", "render_view"]

_SLOT_WIDTH = 60


class ViewText(NamedTuple):
    """The rendered text and how many handles it has; the body `n0` is not counted."""

    text: str
    nodes: int


def render_view(tree: Tree, src: bytes, decl: Decl, slots: bool = False) -> ViewText:
    """A function from `func` to its brace with handles, or another declaration with its doc.

    With `slots`, the expression slots follow the text, one a line: `n4.cond: x > 0`.
    """
    if decl.kind not in ("func", "method"):
        return ViewText(_render_plain(src, decl), 0)
    handles = list_handles(decl)
    handles.pop(BODY, None)
    text = _render_lines(src, decl, handles)
    if slots:
        text += "".join(_render_slots(src, handle) for handle in handles.values())
    return ViewText(text, len(handles))


def _render_plain(src: bytes, decl: Decl) -> str:
    start = docs.line_start(src, decl.full_span.start)
    if not docs.begins_line(src, decl.full_span.start):
        start = decl.full_span.start
    text = src[start : decl.full_span.end].decode(errors="replace").replace("\r\n", "\n")
    lines = text.split("\n")
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return "\n".join(line.removeprefix(indent) for line in lines)


def _render_lines(src: bytes, decl: Decl, handles: dict[str, Handle]) -> str:
    starts = defaultdict(list)
    for handle in handles.values():
        starts[docs.line_start(src, handle.node.start_byte)].append(handle.name)
    at = docs.line_start(src, decl.span.start)
    out = []
    for line in src[at : decl.span.end].splitlines(keepends=True):
        prefix = f"{','.join(starts[at])}: " if at in starts else ""
        out.append(prefix + line.decode(errors="replace").rstrip("\r\n") + "\n")
        at += len(line)
    return "".join(out)


def _render_slots(src: bytes, handle: Handle) -> str:
    out = []
    for name, node in list_slots(handle.node, handle.name):
        text = nodes.text_of(src, node).split("\n")[0]
        shown = text if text == nodes.text_of(src, node) else f"{text} …"
        out.append(f"{name}: {shown[:_SLOT_WIDTH]}\n")
    return "".join(out)
