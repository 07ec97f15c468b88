"""fix_args: a misspelt op, argument or word replaced by the near one; else what help says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ago.repair.calls import LIMIT, Refused, unchecked
from ago.repair.other_names import arguments_of, rename_arguments
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Json, Repair

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
    yield from _renamed_arguments(refused)
    op = refused.op
    name = str(op.get("op")) if op else refused.tool
    if arguments_of(name):
        yield unchecked(f"shows the arguments of {name}", Call("help", {"name": name}))


def _renamed_arguments(refused: Refused) -> Iterator[Repair]:
    """Every argument under the name that it has here; those that stand for none are left out."""
    op, tool = refused.op, refused.tool
    if refused.reject.reason == "arg_required":
        return
    if op is not None and refused.reject.reason == "arg_not_in_schema":
        given = {key: value for key, value in op.items() if key != "op"}
        own = CATALOG[str(op["op"])].model_fields
        known = [info.alias or key for key, info in own.items() if key != "op"]
        mended = rename_arguments(given, known)
        call = refused.as_ops({"op": op["op"], **mended})
        call = Call(tool, mended) if tool in CATALOG else call
    elif known := arguments_of(tool):
        given = dict(refused.args)
        mended = rename_arguments(given, known)
        call = Call(tool, mended)
    else:
        return
    if mended != given:
        yield unchecked(_what_changed(given, mended), call)


def _what_changed(given: Mapping[str, Json], mended: Mapping[str, Json]) -> str:
    said = []
    for name, value in given.items():
        if name not in mended:
            new = next((key for key in mended if key not in given and mended[key] == value), "")
            said.append(f"{name} is {new}" if new else f"without {name}")
    return ", ".join(said)
