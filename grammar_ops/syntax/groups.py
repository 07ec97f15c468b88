"""Grouped declarations: what a spec passes on to the next ones, and what goes when specs go.

Invariant: iota counts specs and a bare spec repeats the last expression (spec, Constant
declarations and Iota), so no other spec may change its value by an edit of one.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from grammar_ops.edit import Span
from grammar_ops.reject import Json, Reject, register
from grammar_ops.syntax import docs, nodes
from grammar_ops.syntax.decls import Decl, Group
from grammar_ops.syntax.layout import removal_span

register(
    "grammar",
    {
        "spec_multi_name": "the declaration gives several names at once",
        "follower_inherits": "a following constant repeats this one's expression",
        "spec_inherits_value": "a later constant inherits this one's expression",
        "spec_uses_iota": "later constants count iota: their values would move",
    },
)


def refuse_multi_name(decl: Decl) -> None:
    """Reject(spec_multi_name) for a declaration that shares its spec."""
    if decl.name_count > 1:
        raise Reject("spec_multi_name", decl.sym)


def refuse_shift(src: bytes, group: Group, gone: Sequence[Node]) -> None:
    """Reject when deleting `gone` would change the value of a constant that stays."""
    specs = list(group.specs)
    starts = {node.start_byte for node in gone}
    indices = [index for index, spec in enumerate(specs) if spec.start_byte in starts]
    if group.keyword != "const" or not indices:
        return
    facts: dict[str, Json] = {}
    if len(gone) == 1 and len(nodes.name_nodes(gone[0])) == 1:
        facts["blank"] = f"const _{rest_of(src, gone[0])}"
    for index in range(min(indices) + 1, len(specs)):
        if index in indices:
            continue
        source = value_index(specs, index)
        name = nodes.text_of(src, nodes.name_nodes(specs[index])[0])
        if source in indices:
            raise Reject("spec_inherits_value", f"{name} repeats the expression", facts=facts)
        if source is not None and nodes.uses_iota(specs[source]):
            raise Reject("spec_uses_iota", f"{name} counts iota", facts=facts)


def refuse_insertion(src: bytes, group: Group, index: int) -> None:
    """Reject when a new spec at `index` would change the value of a constant behind it."""
    specs = list(group.specs)
    for place in range(index, len(specs) if group.keyword == "const" else 0):
        source = value_index(specs, place)
        name = nodes.text_of(src, nodes.name_nodes(specs[place])[0])
        if source is not None and source < index:
            raise Reject("spec_inherits_value", f"{name} repeats the expression of one above")
        if source is not None and nodes.uses_iota(specs[source]):
            raise Reject("spec_uses_iota", f"{name} counts iota")


def rest_of(src: bytes, spec: Node) -> str:
    """What stands in a spec behind its names: its type and its values."""
    return src[nodes.name_nodes(spec)[-1].end_byte : spec.end_byte].decode()


def refuse_follower(src: bytes, decl: Decl, rest: str) -> None:
    """Reject(follower_inherits) when a new expression would be repeated by the next spec; `rest` is
    what is to stand behind the name."""
    specs = list(decl.group.specs) if decl.group else []
    follower = [spec for spec in specs if spec.start_byte > decl.node.start_byte][:1]
    bare = [spec for spec in follower if nodes.find_field(spec, "value") is None]
    if (
        decl.kind == "const"
        and "=" in rest
        and bare
        and rest.split() != rest_of(src, decl.node).split()
    ):
        name = nodes.text_of(src, nodes.name_nodes(bare[0])[0])
        raise Reject("follower_inherits", f"{name} repeats the expression of {decl.sym}")


def value_index(specs: Sequence[Node], index: int) -> int | None:
    """Which spec's expression the spec at `index` has."""
    found = (i for i in range(index, -1, -1) if nodes.find_field(specs[i], "value") is not None)
    return next(found, None)


def removal_spans(src: bytes, gone: Sequence[Decl]) -> list[Span]:
    """What goes with the declarations of one file; a group that loses all its specs goes whole."""
    spans = []
    for decl in gone:
        group = decl.group
        names = {
            d.node.start_byte for d in gone if d.group and group and d.group.span == group.span
        }
        if group is not None and len(names) == len(group.specs):
            spans.append(removal_span(src, group.full_span))
        else:
            spans.append(removal_span(src, _own_span(src, decl)))
    return _merge(sorted(set(spans)))


def _own_span(src: bytes, decl: Decl) -> Span:
    """The declaration with its comments; a comment that also heads others stays with them."""
    start = decl.full_span.start
    if not docs.begins_line(src, decl.span.start):
        start = decl.span.start
    return Span(start, decl.full_span.end)


def _merge(spans: Sequence[Span]) -> list[Span]:
    out: list[Span] = []
    for span in spans:
        if out and span.start < out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out
