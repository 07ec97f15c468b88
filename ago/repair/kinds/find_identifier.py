"""find_identifier: look for a name that the compiler does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, search_call, unchecked
from grammar_ops.reject import Repair

REASONS = ("patch_does_not_typecheck",)
_UNDEFINED = re.compile(r"^undefined: (?:\w+\.)?(\w+)$")


def build(refused: Refused) -> Iterator[Repair]:
    """A search for each distinct undefined name."""
    found = (_UNDEFINED.match(finding.msg) for finding in refused.reject.diagnostics)
    names = dict.fromkeys(match[1] for match in found if match)
    for name in list(names)[:LIMIT]:
        yield unchecked(f"finds names with {name}", search_call(name))
