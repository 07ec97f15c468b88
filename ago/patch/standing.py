"""Standing: objects of the base as the draft has them, under the names and in the places of now.

Invariant: an object of which an earlier op rewrote the name is found again by the name that it was
given; one that is gone is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ago.patch.naming import Naming
from ago.patch.workbench import Workbench
from grammar_ops.scope import ObjectInfo
from grammar_ops.syntax.decls import Decl

Find = Callable[[str, str, str], Decl | None]
"""The declaration of a name in a file, else in the files of a package that the patch edited."""


def list_standing(
    infos: Sequence[ObjectInfo], bench: Workbench, find: Find, naming: Naming
) -> list[ObjectInfo]:
    """Those of the objects that are left, as they are after the patch's renames and moves."""
    out = []
    for info in infos:
        base = bench.in_base(info.path, info.name_span)
        found = bench.follow(info.path, base) if base else None
        pkg, sym = naming.now(info.pkg, info.sym)
        if found is None and info.pkg and (decl := find(info.path, pkg, sym)) is not None:
            found = decl.path, decl.name_span
        if found is not None:
            path, span = found
            out.append(info._replace(pkg=pkg, sym=sym, path=path, name_span=span))
    return out
