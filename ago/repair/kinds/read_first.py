"""read_first: where a call says too little to be mended, what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator

from ago.queries.catalog import QUERIES
from ago.repair.calls import Refused, unchecked
from ago.repair.other_names import call_ours, find_ours
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Repair

_NAMED_BY = ("type", "name", "kind", "action", "operation", "tool", "command")
REASONS = (
    "malformed_patch",
    "patch_has_no_ops",
    "malformed_op",
    "malformed_request",
    "edit_unknown",
    "nothing_to_undo",
    "already_undone",
    "address_required",
    "empty_query",
    "empty_text",
    "edit_format_unknown",
)


def build(refused: Refused) -> Iterator[Repair]:
    """The op that has the arguments given; else the log of edits, or help."""
    reason = refused.reject.reason
    if reason == "malformed_op" and (op := refused.op):
        for key, value in op.items():
            ours = find_ours(value) if isinstance(value, str) else ""
            if key in _NAMED_BY and ours in CATALOG:
                given = {name: item for name, item in op.items() if name != key}
                args = call_ours(ours, given).args
                yield unchecked(f"{value} is {ours} here", refused.as_ops({"op": ours, **args}))
        for name in fitting_ops({*op}):
            yield unchecked(f"has the arguments of {name}", refused.as_ops({"op": name, **op}))
    if reason in ("edit_unknown", "nothing_to_undo", "already_undone"):
        yield unchecked("lists the edits that are kept", Call("log", {}))
        return
    facts = refused.reject.facts
    if reason == "address_required" and (facts.get("file") or facts.get("package")):
        return
    op = refused.op or {}
    name = str(op.get("op")) if op.get("op") in CATALOG else refused.tool
    if name == "query" and refused.args.get("kind") in QUERIES:
        name = str(refused.args["kind"])
    yield unchecked(f"shows what {name} takes", Call("help", {"name": name}))


def fitting_ops(given: set[str]) -> list[str]:
    """The ops that take all the arguments given and need none beside them."""
    fits = []
    for name, op in CATALOG.items():
        fields = {info.alias or key: info for key, info in op.model_fields.items() if key != "op"}
        needed = {key for key, info in fields.items() if info.is_required()}
        if needed and needed <= given <= {*fields}:
            fits.append(name)
    return fits if len(fits) <= 3 else []
