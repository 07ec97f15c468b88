"""Every reference to one object, tests and definition included, with the role of each.

Invariant: one hit for each place and role; ordered by file, line and column, so pages tile.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from difflib import get_close_matches

from ago.facts.read import find_symbol
from ago.facts.store import ROLES
from ago.protocol.requests import Refs
from ago.queries.page import list_answer, without_empty
from ago.queries.uses import Use, list_uses, name_of, package_of
from ago.workspace.address import resolve
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register("queries", {"unknown_role": "no reference has such a role"})

REQUEST = Refs
EXAMPLE: dict[str, Json] = {"sym": "lib.Double", "role": "call"}


def answer(snapshot: Snapshot, request: Refs) -> dict[str, Json]:
    """`symbol`, `count`, `roles` (a count for each) and `refs`: pos, role, and the declaration
    (`in`) and package it is in; with `by_package` a count for each package and its files."""
    roles = read_roles(request.role)
    address = resolve(snapshot, request.pkg, request.sym, "any")
    db = snapshot.facts
    uses = list_uses(db, find_symbol(db, address.pkg, address.sym) or 0, roles)
    snapshot.verify(use.path for use in uses)
    found: dict[str, Json] = {
        "symbol": address.symbol,
        "kind": address.kind or "",
        "resolved": address.resolved or "",
        "roles": dict(Counter(use.role for use in uses).most_common()),
    }
    if request.by_package:
        groups = _by_package(db, uses)
        page = list_answer(snapshot, request, found, "packages", groups, lambda group: group)
        return page | {"count": len(uses), "package_count": len(groups)}
    return list_answer(snapshot, request, found, "refs", uses, lambda use: _hit(db, use))


def read_roles(text: str) -> list[str]:
    """Role names of a text such as `write,address`; Reject(unknown_role) with those there are."""
    roles = [word for word in text.replace("-", "_").replace(",", " ").split() if word]
    if unknown := [role for role in roles if role not in ROLES]:
        near = get_close_matches(unknown[0], ROLES, n=3) or ROLES
        raise Reject("unknown_role", unknown[0], did_you_mean=tuple(near))
    return roles


def _hit(db: sqlite3.Connection, use: Use) -> dict[str, Json]:
    return without_empty(
        {
            "pos": use.pos,
            "role": use.role,
            "in": name_of(db, use.encl)[1],
            "pkg": package_of(db, use),
            "def": use.role == "def",
        }
    )


def _by_package(db: sqlite3.Connection, uses: list[Use]) -> list[dict[str, Json]]:
    groups: dict[str, list[Use]] = {}
    for use in uses:
        groups.setdefault(package_of(db, use), []).append(use)
    return [
        {"pkg": pkg, "count": len(found), "files": dict(Counter(use.path for use in found))}
        for pkg, found in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0]))
    ]
