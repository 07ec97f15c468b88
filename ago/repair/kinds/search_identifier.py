"""search_identifier: look for a name that the compiler does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, search_call, unchecked
from grammar_ops.reject import Repair

REASONS = ("patch_does_not_typecheck",)
_SEARCHED_FROM = 3
_UNDEFINED = re.compile(r"^undefined: (?:\w+\.)?(\w+)$")


def build(refused: Refused) -> Iterator[Repair]:
    """A search for each name."""
    found = (_UNDEFINED.match(finding.msg) for finding in refused.reject.diagnostics)
    # A letter or two is a local that went missing, and a fragment of every other name.
    names = dict.fromkeys(m[1] for m in found if m and len(m[1]) >= _SEARCHED_FROM)
    for name in list(names)[:LIMIT]:
        yield unchecked(f"finds names with {name}", search_call(name))
