"""Resolution: every identifier that an edit did not write resolves to what it did.

Invariant: an op that promises unchanged meaning is refused for any change; an op that brings new
content only for changes that nobody who reads its request would expect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ago.checker.checker import Change
from ago.gate.proofs.control_flow import is_moved_target
from ago.gate.proofs.init_order import is_order, is_report


@dataclass(frozen=True)
class Policy:
    """How strict the proofs are for one edit."""

    keeps_meaning: bool
    allow_rebind: bool = False
    strict: bool = False
    touches: frozenset[str] = frozenset()
    """Keys (`pkg.sym`) of the declarations that the request names as its new content."""
    retypes: bool = False
    """The request changes the types of parameters that stay."""


class Judged(NamedTuple):
    """Changes that refuse the edit, and those that the answer reports."""

    refused: tuple[Change, ...]
    reported: tuple[Change, ...]


def drop_respelt(
    changes: Iterable[Change], renames: Collection[tuple[str, str, str]]
) -> list[Change]:
    """The changes without types that are what they were but for the new name of a method: an
    interface without a name is its methods, and in a body no address tells of their rename."""
    return [change for change in changes if not _is_respelt(change, renames)]


def _is_respelt(change: Change, renames: Collection[tuple[str, str, str]]) -> bool:
    text = change.old
    for pkg, sym, to in renames if change.kind == "type" else ():
        if not pkg:
            text = re.sub(rf"\b{sym.rpartition('.')[2]}\(", f"{to}(", text)
    return change.kind == "type" and text == change.new


def judge_changes(
    changes: Iterable[Change], policy: Policy, is_seen: Callable[[Change], bool] = lambda _: False
) -> Judged:
    """Tell apart what refuses the edit and what is only reported; `is_seen` says of a change that
    the caller wrote out the line it is on, so that what it means there is the caller's word."""
    refused: list[Change] = []
    reported: list[Change] = []
    for change in changes:
        meant = is_seen(change) and not (policy.keeps_meaning or policy.strict)
        (refused if _refuses(change, policy) and not meant else reported).append(change)
    return Judged(tuple(refused), tuple(reported))


def _refuses(change: Change, policy: Policy) -> bool:
    if policy.allow_rebind:
        return False
    if policy.strict:
        return True
    if is_report(change) or _is_replaced(change):
        return False
    return policy.keeps_meaning or is_moved_target(change) or _is_unexpected(change, policy)


def _is_unexpected(change: Change, policy: Policy) -> bool:
    """Whether an edit that brings new content changes more than its reader would expect."""
    if is_order(change):
        return False
    if change.kind in ("selection", "embed_hidden", "embed_exposed"):
        # A method that overrides an embedded one is the point of an upsert of that method.
        return change.new not in policy.touches and change.new != "gone"
    if change.kind == "ident":
        # A new local that captures the uses after it is no more in sight than a captured builtin.
        captured = change.old.startswith("universe@") or _is_import(change) or _is_taken(change)
        return captured or change.new not in policy.touches
    if change.kind == "loop":
        return True
    if change.kind == "const":
        # Values follow a constant that was written; where none was, members of an iota group moved.
        return not policy.touches
    return change.kind == "unkeyed" and not (policy.retypes and _is_retyped(change))


def _is_replaced(change: Change) -> bool:
    """Whether the edit itself put a declaration of the name in the place of the one it took."""
    return change.kind == "ident" and (change.old, change.new) == ("gone", "new")


def _is_retyped(change: Change) -> bool:
    """Whether an argument goes to the parameter it went to, which has another type now."""
    old, new = change.old.split(" "), change.new.split(" ")
    return len(old) > 1 and old[0] == new[0]


def _is_taken(change: Change) -> bool:
    """Whether a name that a dot import gave now means a declaration of another package."""
    old, new = _package(change.old), _package(change.new)
    return bool(old and new) and old != new


def _package(key: str) -> str:
    """The import path in the key of a package-level object, "" for any other key."""
    folder, slash, last = key.rpartition("/")
    name, dot, _ = last.partition(".")
    return folder + slash + name if dot and "@" not in key else ""


def _is_import(change: Change) -> bool:
    """Whether the identifier named an import: its key is a path, which does not end in its name."""
    key = change.old
    plain = key not in ("gone", "new") and "@" not in key
    return plain and not key.endswith(f".{change.name}")
