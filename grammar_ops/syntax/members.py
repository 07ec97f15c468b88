"""The other methods of a family, each with the signature change as it reads there.

Invariant: what is carried keeps its own name and its own type's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grammar_ops.op import ImportWish
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax.callsites import Passing
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.elsewhere import list_type_names, rewrite_type
from grammar_ops.syntax.giving import Giving
from grammar_ops.syntax.shapes import Slot, read_results, read_slots, type_params, with_names


class Member(NamedTuple):
    """A method that changes with the others: its parameters before and after, its new results."""

    decl: Decl
    passing: Passing
    results: str | None
    wishes: tuple[ImportWish, ...] = ()
    giving: Giving | None = None
    """How its results go on, where that is known."""


def adapt(scope: Scope, own: tuple[str, Member], pkg: str, decl: Decl, *, reason: str) -> Member:
    """The change of the addressed method `own`, (its package, it), for another of the family.

    Reject(`reason`) when a new type is one of the addressed method's type parameters.
    """
    home, first = own
    _refuse_type_params(scope, first, reason)
    places = (home, first.decl.path), (pkg, decl.path)
    wishes = list[ImportWish]()

    def there(text: str) -> str:
        written, wanted = rewrite_type(scope, text, *places)
        wishes.extend(wanted)
        return written

    old = read_slots(decl.node, scope.source(decl.path))
    slots = []
    for slot, source in zip(first.passing.new, first.passing.sources, strict=True):
        before = None if source is None else first.passing.old[source]
        if source is None or before is None:
            slots.append(slot._replace(type=there(slot.type), group=slot.group + len(old)))
        elif before[1:3] == slot[1:3]:
            slots.append(old[source])
        else:
            new = Slot(old[source].name, there(slot.type), slot.variadic, len(old) + slot.group)
            slots.append(new)
    results = None if first.results is None else there(_results_for(scope, first, decl))
    passing = first.passing._replace(old=old, new=_in_style(slots, old))
    return Member(decl, passing, results, tuple(wishes))


def _results_for(scope: Scope, first: Member, decl: Decl) -> str:
    """The new results as another method has them: with the names that its own had."""
    old = read_results(decl.node, scope.source(decl.path))
    slots = first.giving.keep_names(old) if first.giving is not None else ()
    if first.giving is None or slots == first.giving.slots:
        return first.results or ""
    return f"({', '.join(f'{slot.name} {slot.type}' for slot in slots)})"


def _in_style(slots: Sequence[Slot], old: Sequence[Slot]) -> tuple[Slot, ...]:
    """New parameters have no names where the old ones have none."""
    if old and not any(slot.name for slot in old):
        return tuple(slot._replace(name="") for slot in slots)
    return with_names(slots)


def _refuse_type_params(scope: Scope, first: Member, reason: str) -> None:
    """A type parameter of the addressed method's type has no name in the other types."""
    own = type_params(first.decl, scope.source(first.decl.path))
    new = [
        slot.type
        for slot, source in zip(first.passing.new, first.passing.sources, strict=True)
        if source is None or first.passing.old[source][1:3] != slot[1:3]
    ]
    used = {name for text in (*new, first.results or "") for name in list_type_names(text)}
    if own & used:
        raise Reject(reason, ", ".join(sorted(own & used)))
