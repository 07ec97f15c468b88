"""Receivers written through an alias: the types whose methods they declare.

Invariant: a method is one of the type that its receiver means (spec, Method declarations).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from grammar_ops.edit import Edit
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl

_NAMED = re.compile(r"(\*?)\s*(\w+)\Z")


def list_aliases(scope: Scope, known: Sequence[Decl]) -> dict[str, str]:
    """The aliases of a package by name, with the type of the package, or pointer to it, that each
    means in the end."""
    direct = dict[str, str]()
    for decl in known:
        aliased = nodes.find_field(decl.node, "type") if decl.kind == "alias" else None
        generic = nodes.find_field(decl.node, "type_parameters") is not None
        if aliased is not None and not generic:
            text = nodes.text_of(scope.source(decl.path), aliased)
            if found := _NAMED.match(text.strip("( )")):
                direct[decl.sym] = "".join(found.groups())
    return {name: _follow(name, direct) for name in direct}


def _follow(name: str, direct: dict[str, str]) -> str:
    star = ""
    for _ in direct:  # a cycle is the compiler's to refuse
        if name in direct:
            found = direct[name]
            star, name = star or found[: found.count("*")], found.lstrip("*")
    return star + name


def owner_of(method: Decl, aliases: dict[str, str]) -> str:
    """The type that a method belongs to."""
    owner = method.sym.partition(".")[0]
    return aliases.get(owner, owner).lstrip("*")


def receiver_edits(
    scope: Scope, known: Sequence[Decl], going: Collection[str], aliases: dict[str, str]
) -> Iterator[Edit]:
    """The receivers that are to name their type itself, since only one of it and its alias is among
    the declarations on their way."""
    for decl in known:
        written = decl.sym.partition(".")[0]
        receiver = nodes.find_field(decl.node, "receiver") if decl.kind == "method" else None
        if receiver is None or written not in aliases:
            continue
        if (written in going) != (owner_of(decl, aliases) in going):
            src = scope.source(decl.path)
            name = next(n for n in nodes.descendants(receiver) if nodes.is_type_name(n))
            assert nodes.text_of(src, name) == written
            yield Edit(decl.path, nodes.span_of(name), aliases[written].encode())
