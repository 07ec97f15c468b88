"""find_identifier: put a near name in the place of one that the compiler does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ago.repair.calls import LIMIT, Refused, search_call, unchecked
from grammar_ops.reject import Call, Json, Repair

REASONS = ("patch_does_not_typecheck",)
_SEARCHED_FROM = 3
_UNDEFINED = re.compile(r"^undefined: (?:\w+\.)?(\w+)$")
# Arguments that hold Go text; the others are addresses and places.
_GO_TEXT = ("body", "text", "expr", "exprs", "cond", "lhs", "rhs", "type", "default", "signature")


def build(refused: Refused) -> Iterator[Repair]:
    """The call with the nearest names, then with the next nearest, then a search for each."""
    near = refused.reject.facts.get("near")
    for number in range(LIMIT):
        if chosen := _choose(near, number):
            said = ", ".join(f"{old} for {new}" for new, old in chosen.items())
            yield unchecked(f"takes {said}", _renamed(refused, chosen))
    found = (_UNDEFINED.match(finding.msg) for finding in refused.reject.diagnostics)
    # A letter or two is a local that went missing, and a fragment of every other name.
    names = dict.fromkeys(m[1] for m in found if m and len(m[1]) >= _SEARCHED_FROM)
    for name in list(names)[:LIMIT]:
        yield unchecked(f"finds names with {name}", search_call(name))


def _choose(near: Json, number: int) -> dict[str, str]:
    """Unknown name -> its near name of that rank, for the names that have one."""
    if not isinstance(near, dict):
        return {}
    lists = {name: found for name, found in near.items() if isinstance(found, list)}
    return {name: str(found[number]) for name, found in lists.items() if number < len(found)}


def _renamed(refused: Refused, chosen: Mapping[str, str]) -> Call:
    words = re.compile(r"\b(" + "|".join(map(re.escape, chosen)) + r")\b")

    def change(value: Json, inside: bool) -> Json:
        if isinstance(value, str):
            return words.sub(lambda word: chosen[word[1]], value) if inside else value
        if isinstance(value, list):
            return [change(item, inside) for item in value]
        if isinstance(value, dict):
            return {key: change(item, key in _GO_TEXT) for key, item in value.items()}
        return value

    changed = {key: change(item, key in _GO_TEXT) for key, item in refused.args.items()}
    return Call(refused.tool, changed)
