"""fix_args: a misspelt op, argument or word replaced by the near one; else what help says."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import LIMIT, Refused, unchecked
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Repair

_WORDS = {
    "unknown_op": "op",
    "unknown_insertion_point": "where",
    "unknown_with_value": "with",
    "bad_new_name": "to",
}
REASONS = (*_WORDS, "arg_not_in_schema", "arg_required", "unknown_argument")


def build(refused: Refused) -> Iterator[Repair]:
    """The call with the near word, as long as there is one; the op's help otherwise."""
    reason, near = refused.reject.reason, refused.reject.did_you_mean[:LIMIT]
    if reason == "unknown_op" and len(refused.reject.did_you_mean) > LIMIT:
        near = ()
    if reason in _WORDS:
        argument = _WORDS[reason]
        for word in near:
            yield unchecked(f"{argument}: {word}", refused.with_op(**{argument: word}))
        return
    yield from _renamed_argument(refused, near)
    op = refused.op
    name = str(op.get("op")) if op else refused.tool
    if name in CATALOG:
        yield unchecked(f"shows the arguments of {name}", Call("help", {"name": name}))


def _renamed_argument(refused: Refused, near: tuple[str, ...]) -> Iterator[Repair]:
    """The value moved to the one argument that its name is near to."""
    facts, op = refused.reject.facts, refused.op
    field = str(facts.get("field") or facts.get("argument") or "")
    if len(near) != 1:
        return
    if facts.get("argument") and field in refused.args:
        kept = {key: value for key, value in refused.args.items() if key != field}
        call = Call(refused.tool, {**kept, near[0]: refused.args[field]})
        yield unchecked(f"{field} is {near[0]}", call)
    elif op is not None and field in op:
        yield unchecked(f"{field} is {near[0]}", refused.with_op(field, **{near[0]: op[field]}))
