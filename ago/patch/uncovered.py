"""References in files that no checked build context covers, where syntax alone makes them certain.

Invariant: what is not certain is reported as unproven, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ago.patch.workbench import Workbench
from grammar_ops.edit import Span
from grammar_ops.scope import PackageInfo, Ref
from grammar_ops.syntax.mentions import find_mentions


class Uncovered(NamedTuple):
    """What the files outside of the build say of a name: certain references, and open questions."""

    refs: tuple[Ref, ...]
    unproven: tuple[str, ...]


def find_uncovered(package: PackageInfo, sym: str, bench: Workbench) -> Uncovered:
    """Mentions of an object of `package` in the files of its folder that the build leaves out."""
    refs, unproven = [], []
    name = sym.rpartition(".")[2]
    word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
    for path, role in package.files:
        text = bench.find(path) if role == "ignored" else None
        if text is None or not word.search(text):
            continue
        mentions = find_mentions(bench.tree(path), text, name)
        if "." not in sym and mentions.certain and mentions.spans:
            refs += [Ref(path, span, "read", "") for span in mentions.spans]
            unproven.append(f"{path}: outside the checked build; rewritten by name")
        else:
            unproven.append(f"{path}: outside the checked build; mentions {name}, left as it is")
    return Uncovered(tuple(refs), tuple(unproven))


def merge_refs(*groups: Iterable[Ref]) -> list[Ref]:
    """References of several sources by file and offset, each identifier once.

    Implicit references (promotion and the like) have no text and stay beside the written one.
    """
    found: dict[tuple[str, Span, str], Ref] = {}
    for group in groups:
        for ref in group:
            written = ref.span.start < ref.span.end
            found.setdefault((ref.path, ref.span, "" if written else ref.role), ref)
    return sorted(found.values(), key=lambda ref: (ref.path, ref.span))
