"""mend_text: the call with its texts as the compiler would take them, and what has to follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ago.repair.calls import Op, Refused, unchecked, view_call
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Json, Repair
from grammar_ops.syntax.bodies import split_function

_UNDEFINED = re.compile(r"undefined")
_COUNTED = re.compile(r"arguments in call to|assignment mismatch|return values")
REASONS = ("patch_does_not_typecheck",)


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each way to mend all that the compiler said."""
    mends = refused.reject.facts.get("mends")
    for mend in mends if isinstance(mends, list) else ():
        if isinstance(mend, dict):
            yield unchecked(str(mend.get("why")), _mended(refused, mend))
    yield from _followed(refused)
    for look in _rows(refused.reject.facts, "looks"):
        yield unchecked(f"shows {look['sym']}", Call("inspect", {**look}))
    pkg, sym = refused.address()
    if sym and not _UNDEFINED.search(" ".join(found.msg for found in refused.reject.diagnostics)):
        yield unchecked(f"shows {sym} as it is", view_call(pkg, sym))


def _followed(refused: Refused) -> Iterator[Repair]:
    """A declaration that came with another signature as the change of both: the calls follow."""
    ops = refused.all_ops()
    if not _COUNTED.search(" ".join(found.msg for found in refused.reject.diagnostics)):
        return
    for place, op in enumerate(ops):
        split = split_function(str(op.get("text") or "")) if op.get("op") == "upsert_decl" else None
        if split is None:
            continue
        sym, head, body, names = split
        here: Op = {"pkg": op.get("pkg") or refused.args.get("pkg") or "", "sym": sym}
        follow: list[Op] = [
            {"op": "set_body", **here, "body": body},
            {"op": "set_signature", **here, "signature": head, "defaults": [*names]},
        ]
        why = "gives the function its new signature, its calls what they need, and the body"
        yield unchecked(why, refused.as_patch([*ops[:place], *follow, *ops[place + 1 :]]))


def _mended(refused: Refused, mend: Mapping[str, Json]) -> Call:
    ops = refused.all_ops()
    for edit in _rows(mend, "edits"):
        place, argument = int(str(edit["op"])) - 1, str(edit["argument"])
        index, value = int(str(edit["index"])), edit["value"]
        old = ops[place].get(argument)
        if index >= 0 and isinstance(old, list):
            value = [*old[:index], value, *old[index + 1 :]]
        ops[place] = {**ops[place], argument: value}
    more = _rows(mend, "more")
    if refused.tool in CATALOG and not more:
        own = {key: value for key, value in ops[0].items() if key != "op"}
        return Call(refused.tool, {**refused.args, **own})
    return refused.as_patch([*ops, *more])


def _rows(mend: Mapping[str, Json], key: str) -> list[Op]:
    found = mend.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
