"""near_word: the same question with a word as it could be meant, else without it."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, unchecked
from grammar_ops.near import near_names
from grammar_ops.reject import Call, Repair

_ARGUMENTS = {
    "unknown_help_topic": "name",
    "unknown_field": "fields",
    "unknown_role": "role",
    "unknown_effect": "effect",
    "unknown_revision": "since",
}
REASONS = (*_ARGUMENTS, "bad_pattern")


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each near word, then the question without any."""
    reason = refused.reject.reason
    if reason == "bad_pattern":
        if refused.args.get("regex"):
            yield unchecked("looks for the text letter by letter", refused.without("regex"))
        return
    argument = _ARGUMENTS[reason]
    given = str(refused.args.get(argument) or "")
    for word in given.replace(",", " ").split():
        known = refused.reject.did_you_mean
        near = () if word in known else near_names(word, known)
        for name in near or (known if len(known) <= LIMIT else ()):
            call = refused.with_args(**{argument: given.replace(word, name)})
            yield unchecked(f"{argument}: {name}", call)
    if reason == "unknown_help_topic":
        yield unchecked("lists ops, queries and tools", Call("help", {}))
        return
    if given:
        yield unchecked(f"without {argument}", refused.without(argument))
    if reason == "unknown_revision":
        yield unchecked("lists the edits that are kept", Call("log", {}))
