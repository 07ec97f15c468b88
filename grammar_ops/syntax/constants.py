"""Constants of a group that is taken apart: what their places gave them, written out.

Invariant: iota is the number of a spec in its group, blank ones included, and a bare spec repeats
type and expression of the one above (spec, Iota); written out, each keeps its value and its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grammar_ops.edit import Edit, Span, apply_edits
from grammar_ops.op import ImportWish
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Group
from grammar_ops.syntax.groups import value_index
from grammar_ops.syntax.parcels import Parcel
from grammar_ops.syntax.relocation import Region, Relocation, list_idents, uses_in
from grammar_ops.syntax.spelling import Speller


class _Written(NamedTuple):
    """A spec whose value is to be written out."""

    spec: Node
    source: Node
    """The spec whose type and expression it has, itself or one above."""
    number: int
    """Its number in the group, the value of iota."""
    region: Region
    """Where the type and expression stand, and where they are to be read."""


def write_values(
    move: Relocation, parcels: Sequence[Parcel]
) -> tuple[list[Edit], list[ImportWish]]:
    """The edits that write out the values of constants that leave their group, and of those that
    stay where these gave them theirs; the imports that they need."""
    edits, wishes = list[Edit](), list[ImportWish]()
    for written in _list_written(move, parcels):
        path, src = written.region.path, move.scope.source(written.region.path)
        counts = [n for n in nodes.descendants(written.source) if n.type == nodes.IOTA]
        text = str(written.number).encode()
        numbers = [Edit(path, nodes.span_of(node), text) for node in counts]
        if written.spec == written.source:
            edits += numbers
            continue
        speller = Speller(move.scope, move.homes, move.package_names)
        spelled = speller.spell(uses_in(move, list_idents(move.scope, written.region)))
        wishes += speller.wishes
        start, end = written.region.span
        own = [e._replace(span=Span(*(at - start for at in e.span))) for e in (*numbers, *spelled)]
        at = nodes.name_nodes(written.spec)[-1].end_byte
        edits.append(Edit(path, Span(at, at), b" " + apply_edits(src[start:end], own)))
    return edits, wishes


def _list_written(move: Relocation, parcels: Sequence[Parcel]) -> Iterator[_Written]:
    parts = [p for p in parcels if p.keyword.strip() == "const"]
    spans = {(p.path, d.group.span) for p in parts for d in p.decls if d.group is not None}
    for path, span in sorted(spans):
        mine = [p for p in parts if p.path == path]
        group = next(d.group for p in mine for d in p.decls if d.group and d.group.span == span)
        targets = {d.node.start_byte: p for p in mine for d in p.decls}
        yield from _of_group(move, path, group, targets)


def _of_group(
    move: Relocation, path: str, group: Group, leaving: dict[int, Parcel]
) -> Iterator[_Written]:
    """What is to be written out in a group that the specs at `leaving` leave."""
    specs = list(group.specs)
    carried = -1  # the spec whose expression the one above repeats or has written out
    gone = 0
    for number, spec in enumerate(specs):
        at = value_index(specs, number)
        if at is None:
            continue
        source, parcel = specs[at], leaving.get(spec.start_byte)
        region = _region_of(move, path, source, parcel)
        counts = nodes.uses_iota(source)
        if parcel is not None:
            gone += 1
            if counts or source != spec:
                yield _Written(spec, source, number, region)
        elif (counts and gone) or (source.start_byte in leaving and carried != at):
            carried = at
            yield _Written(spec, source, number, region)


def _region_of(move: Relocation, path: str, source: Node, parcel: Parcel | None) -> Region:
    """The type and expression of a spec, on their way to a file or to others of their group."""
    span = Span(nodes.name_nodes(source)[-1].end_byte, source.end_byte)
    text = move.scope.source(path)[span.start : span.end]
    span = Span(span.start + len(text) - len(text.lstrip()), span.end)
    own = move.scope.package_of(path) or ""
    moved = [r for r in move.regions if parcel and (r.path, r.span) == (path, parcel.span)]
    if moved:
        return Region(path, span, own, moved[0].target, moved[0].to_pkg)
    return Region(path, span, own, path, own)
